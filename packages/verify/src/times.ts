import type { SignedCheckpoint } from './checkpoint.ts'

/** What a check is told of time. */
export interface TimeOptions {
  /** a checkpoint that is older is not enough; left out: any age is */
  readonly maxAgeSeconds?: number | undefined
  /** ms since 1970, of whoever checks; default now */
  readonly now?: number | undefined
}

/** Clocks of machines differ by less. */
const SKEW_MS = 300_000

const secondsOf = (ms: number): number => Math.round(ms / 1000)

/**
 * In words, what is wrong with the age of what was checked; empty where nothing is. Witnesses say when they saw the checkpoint; without any,
 * only the newest time in it tells, which its signer chose.
 * @param newest the latest time of a fact or moment, in ms; null where there is none
 */
export function ageFaults(
  checkpoint: SignedCheckpoint | null,
  newest: number | null,
  { maxAgeSeconds, now = Date.now() }: TimeOptions,
): string[] {
  const seen = (checkpoint?.cosigned ?? []).map(({ at }) => at * 1000)
  const late = seen.filter((at) => at > now + SKEW_MS).length
  const told = [
    ...(late === 0
      ? []
      : [`${late} witnesses say that they cosigned the checkpoint at a time that is to come`]),
    ...(newest !== null && newest > now + SKEW_MS ? ['it tells of a time that is to come'] : []),
  ]
  if (maxAgeSeconds === undefined) return told
  if (checkpoint === null) return [...told, 'no checkpoint has an age']
  const at = seen.length > 0 ? Math.max(...seen) : newest
  const by = seen.length > 0 ? 'its witnesses say so' : 'its newest entry here says so, and no witness'
  if (at === null) return [...told, 'nothing says how old the checkpoint is']
  const age = secondsOf(now - at)
  return age > maxAgeSeconds
    ? [...told, `the checkpoint is ${age} s old, which is more than ${maxAgeSeconds} s: ${by}`]
    : told
}
