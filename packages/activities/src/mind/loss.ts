import type { Decision } from '@treeos/core'
import type { LoadedMoment } from '@treeos/reality'
import { listFaults } from '@treeos/store'
import type { BeatDeps } from '../deps.ts'
import { failureDecision } from '../guard/failure-decision.ts'
import { withPostgresRetry } from '../guard/postgres-retry.ts'
import type { ModelTransientError } from '../model/model.ts'
import { reportFault } from '../moments/fault.ts'
import { describeLosses, nextDelayMs } from './losses.ts'
import { modelOf } from './thought.ts'

/** An attempt of the model that gave no answer. */
export interface LostAttempt {
  /** from 1 */
  readonly attempt: number
  /** no attempt may follow */
  readonly isLast: boolean
  readonly seconds: number
  readonly error: ModelTransientError
}

/** Stores the error of an attempt. @returns the delay before the next one; or the failure of the moment when none is made */
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
  await reportFault(deps, moment, { part: 'model', attempt, seconds, error })
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
