import type { Decision } from '@treeos/core'
import type { LoadedMoment } from '@treeos/reality'
import { listFaults } from '@treeos/store'
import type { BeatDeps } from '../deps.ts'
import { failureDecision } from '../guard/failure-decision.ts'
import { withPostgresRetry } from '../guard/guard.ts'
import type { ModelTransientError } from '../model/model.ts'
import { reportFault } from '../moments/fault.ts'
import { modelOf } from './thought.ts'

const DELAY_MS_MIN = 500
const DELAY_MS_MAX = 15_000
/** Beings that lost the same model do not all ask it again at the same time. */
const JITTER = 0.2

/** An attempt that got no answer. */
export interface Loss {
  readonly message: string
  /** how long ago the attempt began */
  readonly agoSeconds: number
}

export interface NextAttempt {
  readonly losses: readonly Loss[]
  /** the provider's Retry-After */
  readonly retryAfterMs: number | undefined
  /** how long an outage is outlived, counted from the first attempt */
  readonly patienceSeconds: number
  /** default: as many as patience allows */
  readonly attemptsMax?: number | undefined
  /** from 0 to 1 */
  readonly chance: number
}

/**
 * The delay before the next attempt: it doubles, and is at least the provider's Retry-After.
 * @returns null when the model call has failed. A second attempt is always made, unless the provider asks for
 *   a longer wait
 */
export function nextDelayMs(next: NextAttempt): number | null {
  const { losses, retryAfterMs = 0, patienceSeconds, attemptsMax = Number.POSITIVE_INFINITY, chance } = next
  if (losses.length >= attemptsMax) return null
  const backoff = Math.min(DELAY_MS_MIN * 2 ** (losses.length - 1), DELAY_MS_MAX) * (1 - JITTER * chance)
  const delay = Math.max(backoff, retryAfterMs)
  const left = 1000 * (patienceSeconds - (losses.length === 1 ? 0 : secondsOf(losses)))
  return delay <= left ? Math.ceil(delay) : null
}

/** Sums up: `model answered 500 four times in 4 s`. */
export function describeLosses(losses: readonly Loss[], retryAfterMs: number | undefined): string {
  const counts = new Map<string, number>()
  for (const { message } of losses) counts.set(message, (counts.get(message) ?? 0) + 1)
  const said = [...counts].map(([message, count]) => `${message} ${times(count)}`).join(', ')
  const asked = retryAfterMs === undefined ? '' : `; it asks to wait ${Math.ceil(retryAfterMs / 1000)} s`
  return `${said} in ${Math.ceil(secondsOf(losses))} s${asked}`
}

const secondsOf = (losses: readonly Loss[]): number =>
  Math.max(0, ...losses.map(({ agoSeconds }) => agoSeconds))

const WORDS = [
  '',
  'once',
  'twice',
  ...['three', 'four', 'five', 'six', 'seven', 'eight', 'nine'].map((n) => `${n} times`),
]
const times = (count: number): string => WORDS[count] ?? `${count} times`

/** An attempt of the model that gave no answer. */
export interface LostAttempt {
  /** from 1 */
  readonly attempt: number
  /** no attempt may follow */
  readonly isLast: boolean
  readonly seconds: number
  readonly error: ModelTransientError
}

/**
 * Stores the error of an attempt.
 * @returns the delay before the next one; or the failure of the moment when none is made
 */
export async function afterLoss(
  deps: BeatDeps,
  loaded: LoadedMoment,
  { attempt, isLast, seconds, error }: LostAttempt,
): Promise<{ readonly delayMs: number } | { readonly decision: Decision }> {
  const model = modelOf(deps, loaded)
  if ('kind' in model) return { decision: model }
  const { patienceSeconds, attemptsMax } = model
  const { moment } = loaded.record
  const { retryAfterMs } = error
  await reportFault(deps, moment, { part: 'model', attempt: attempt * error.tried, seconds, error })
  const faults = await withPostgresRetry(deps.observe, () => listFaults(deps.db, moment))
  const losses = faults.filter(({ part }) => part === 'model')
  const delay = nextDelayMs({
    losses,
    retryAfterMs,
    patienceSeconds,
    attemptsMax,
    chance: Math.random(),
  })
  if (delay === null || isLast)
    return { decision: failureDecision(error.code, describeLosses(losses, retryAfterMs)) }
  return { delayMs: Math.max(1, delay) }
}
