import type { AttemptFault, ModelAttempt } from '@treeos/store'

/** One part of a moment, with its times in ms since 1970 UTC. */
export interface MomentStretch {
  /**
   * `wait`: in the inbox; `think`: one call of a model; `attempt`: one that failed, of a script, an operation
   * or an effect; `work`: the rest
   */
  readonly name: 'wait' | 'think' | 'attempt' | 'work'
  readonly from: number
  readonly to: number
  /** of a model, a script, an operation or an effect */
  readonly part?: AttemptFault['part']
  /** from 1 */
  readonly attempt?: number
  readonly tokens?: number
  /** why it failed; left out where it did not */
  readonly fault?: string
}

interface BeatTimes {
  /** when its wake came; null without one */
  readonly cameAt: number | null
  readonly openedAt: number
  readonly sealedAt: number
  readonly attempts: readonly ModelAttempt[]
  readonly faults: readonly Pick<AttemptFault, 'part' | 'attempt' | 'at' | 'seconds' | 'message'>[]
}

/**
 * What took how long in a moment, in order. The times are of several clocks, so each stretch is cut to the
 * moment.
 */
export function beatsOf({ cameAt, openedAt, sealedAt, attempts, faults }: BeatTimes): MomentStretch[] {
  const within = (at: number) => Math.min(sealedAt, Math.max(openedAt, at))
  const known = new Set(attempts.map(({ attempt }) => attempt))
  const failed = new Map(faults.flatMap((one) => (one.part === 'model' ? [[one.attempt, one]] : [])))
  const thinking = attempts.map(({ attempt, at, settledAt, tokens }): MomentStretch => {
    const fault = failed.get(attempt)
    const ended = fault?.at.getTime() ?? settledAt ?? sealedAt
    return {
      name: 'think',
      from: within(at),
      to: within(ended),
      part: 'model',
      attempt,
      tokens,
      ...(fault === undefined ? {} : { fault: fault.message }),
    }
  })
  const others = faults
    .filter(({ part, attempt }) => part !== 'model' || !known.has(attempt))
    .map(({ part, attempt, at, seconds, message }): MomentStretch => {
      const to = within(at.getTime())
      return {
        name: 'attempt',
        from: within(at.getTime() - seconds * 1000),
        to,
        part,
        attempt,
        fault: message,
      }
    })
  const told = [...thinking, ...others].sort((a, b) => a.from - b.from || a.to - b.to)
  const beats: MomentStretch[] =
    cameAt === null || cameAt >= openedAt ? [] : [{ name: 'wait', from: cameAt, to: openedAt }]
  let reached = openedAt
  for (const beat of told) {
    if (beat.from > reached) beats.push({ name: 'work', from: reached, to: beat.from })
    beats.push(beat)
    reached = Math.max(reached, beat.to)
  }
  if (sealedAt > reached || told.length === 0) beats.push({ name: 'work', from: reached, to: sealedAt })
  return beats
}
