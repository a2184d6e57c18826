import type { Ending, FinishInput, Unfinished } from '@treeos/protocol'
import { digestOf, findOpen, newDecision, StaleGenerationError } from '@treeos/store'
import type { BeatDeps } from '../deps.ts'
import { crashPoint } from '../guard/crash-point.ts'
import type { Thought } from '../mind/calls.ts'
import { afterLoss } from '../mind/losses.ts'
import { askMind } from '../mind/thought.ts'
import { ModelTransientError } from '../model/model.ts'
import { type HeldMoment, ReopenedError } from '../moments/open-moments.ts'
import { stampMoment } from '../stamp/stamp-moment.ts'

/**
 * The short way of a moment: its mind decides within a short time, then the moment is stamped. Open record, decision and outcome
 * are stored by one append. When the mind takes longer, the open record is stored now, and `think` joins the call.
 * @returns what stamped the moment; or why it is not stamped, and then its outcome is not stored
 * @throws {StaleGenerationError} when a newer generation of the being has begun
 */
export async function decideAndStamp(deps: BeatDeps, input: FinishInput): Promise<Ending> {
  const { open, asks, ...rest } = input
  const { memory } = deps
  const held = memory.moments.held(input.moment)
  if (held === undefined || held.open.record.digest !== open)
    return { unfinished: await whereIs(deps, input) }
  try {
    if (asks && held.decision === null) {
      const unfinished = await decideSoon(deps, input, held)
      if (unfinished !== null) return unfinished
    }
    held.listens = input.next !== undefined && memory.nextWakes.takePlace(input.moment)
    const stamped = await stampMoment(
      deps,
      { ...rest, decision: asks ? (held.decision?.digest ?? null) : null, failed: null },
      held,
    )
    memory.moments.drop(held)
    if (!('effect' in stamped)) return stamped
    return held.decision !== null && asks ? { ...stamped, decision: held.decision.digest } : stamped
  } catch (error) {
    if (!(error instanceof ReopenedError)) throw error
    memory.moments.drop(held)
    return { unfinished: await whereIs(deps, input) }
  }
}

/** Whether the open record that history names is stored. It may be, after a rerun. */
async function whereIs({ db }: BeatDeps, { moment, open }: FinishInput): Promise<Unfinished['unfinished']> {
  const stored = await findOpen(db, moment)
  return stored !== null && digestOf(stored.record) === open ? 'stored' : 'lost'
}

/** Lets the mind decide. @returns null when it has; otherwise the open record is stored */
async function decideSoon(
  deps: BeatDeps,
  { moment, stack }: FinishInput,
  held: HeldMoment,
): Promise<Unfinished | null> {
  if (stack === null) throw new Error(`moment ${moment} has no stack to decide with`)
  const { calls, moments, pace } = deps.memory
  const call = calls.begin(moment, held.reservation, (at) => askMind(deps, held.loaded, stack, at))
  const decided = await soon(call.thought, pace.shortMs)
  crashPoint('finish:after-mind')
  if (decided === null) {
    try {
      await moments.store(deps.db, held)
      crashPoint('finish:after-record')
      await call.handOver(deps)
    } catch (error) {
      // After any other error this activity is retried. It finds the call, or `think` does when the open record is stored by then.
      if (error instanceof StaleGenerationError || error instanceof ReopenedError) {
        call.abort(error)
        calls.end(call)
        moments.drop(held)
      }
      throw error
    }
    crashPoint('finish:handed-over')
    return { unfinished: 'stored' }
  }
  calls.end(call)
  if (!('error' in decided)) {
    held.decision ??= newDecision(decided.decision, decided.usage, decided.settlement, decided.overlay) // a rerun has the same call
    return null
  }
  const { error } = decided
  if (!(error instanceof ModelTransientError)) throw error
  const seconds = (performance.now() - call.started) / 1000
  const next = await afterLoss(deps, held.loaded, { attempt: 1, isLast: false, seconds, error })
  if ('decision' in next) {
    held.decision ??= newDecision(next.decision, null, null, held.overlay)
    return null
  }
  await moments.store(deps.db, held)
  return { unfinished: 'stored', lost: { code: error.code, message: error.message, retryMs: next.delayMs } }
}

/** @returns null when it takes longer */
async function soon(thought: Promise<Thought>, ms: number): Promise<Thought | { error: unknown } | null> {
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
