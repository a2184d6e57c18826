import type { PinnedStack } from '@treeos/core'
import type { PendingDecision } from '@treeos/protocol'
import { newDecision, StaleGenerationError } from '@treeos/store'
import type { BeatDeps } from '../deps.ts'
import { crashPoint } from '../guard/crash-point.ts'
import type { MindResult } from '../mind/calls.ts'
import { afterLoss } from '../mind/losses.ts'
import { askMind } from '../mind/thought.ts'
import { ModelTransientError } from '../model/model.ts'
import { type HeldMoment, ReopenedError } from '../moments/open-moments.ts'

/**
 * Lets the mind of a held moment decide within a short time. When it takes longer, the open record is stored,
 * and the call goes on: `think` joins it.
 * @param ms that time
 * @returns null when it has decided: see `held.decision`
 */
export async function decideSoon(
  deps: BeatDeps,
  held: HeldMoment,
  stack: PinnedStack,
  ms: number,
): Promise<PendingDecision | null> {
  if (held.decision !== null) return null // a rerun
  const { calls, moments } = deps.memory
  const { moment } = held.open
  const call = calls.begin(moment, held.reservation, (at) => askMind(deps, held.loaded, stack, at))
  const decided = await soon(call.thought, ms)
  crashPoint('live:after-mind')
  if (decided === null) {
    try {
      await moments.store(deps.db, held)
      crashPoint('live:after-record')
      await call.handOver(deps)
    } catch (error) {
      // After any other error this activity is retried. It finds the call, or `think` does when the open
      // record is stored by then.
      if (error instanceof StaleGenerationError || error instanceof ReopenedError) {
        call.abort(error)
        calls.end(call)
        moments.drop(held)
      }
      throw error
    }
    crashPoint('live:handed-over')
    return { decides: true, begun: {} }
  }
  calls.end(call)
  if (!('error' in decided)) {
    // a rerun has the same call
    held.decision ??= newDecision(decided.decision, decided)
    return null
  }
  const { error } = decided
  if (!(error instanceof ModelTransientError)) throw error
  const seconds = (performance.now() - call.started) / 1000
  const next = await afterLoss(deps, held.loaded, { attempt: 1, isLast: false, seconds, error })
  if ('decision' in next) {
    held.decision ??= newDecision(next.decision, { overlay: held.overlay })
    return null
  }
  await moments.store(deps.db, held)
  const lost = { code: error.code, message: error.message, retryMs: next.delayMs }
  return { decides: true, begun: { lost } }
}

/** @returns null when it takes longer */
async function soon(
  thought: Promise<MindResult>,
  ms: number,
): Promise<MindResult | { error: unknown } | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, ms, null)
  })
  try {
    return await Promise.race([thought.catch((error: unknown) => ({ error })), late])
  } finally {
    clearTimeout(timer)
  }
}
