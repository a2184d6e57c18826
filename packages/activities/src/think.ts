import { setTimeout as sleep } from 'node:timers/promises'
import { ApplicationFailure, Context } from '@temporalio/activity'
import type { MomentId } from '@treeos/core'
import type { DecisionRef, ElsewhereMoment, ThinkInput } from '@treeos/protocol'
import type { LoadedMoment } from '@treeos/reality'
import {
  endCall,
  isCallUnderWay,
  listFaults,
  newDecision,
  recordDecision,
  type StoredDecision,
} from '@treeos/store'
import type { BeatDeps } from './deps.ts'
import { crashPoint } from './guard/crash-point.ts'
import { heartbeating, withPostgresRetry } from './guard/guard.ts'
import type { MindAttempt, MindResult } from './mind/calls.ts'
import { CancelledCallError } from './mind/cancels.ts'
import { afterLoss } from './mind/losses.ts'
import { askMind } from './mind/thought.ts'
import { noteStreaming } from './mind/word-sender.ts'
import { ModelTransientError } from './model/model.ts'
import { leaveOpen } from './moments/elsewhere.ts'

/**
 * The long way of a decision: the model or script of the being decides in an activity of its own. A rerun
 * returns the stored decision and calls neither. A call that `liveMoments` began is joined. A cancelled call
 * has its failure as decision.
 * @returns kind and digest of the decision; an error that a retry cannot fix is a decision of kind `failure`,
 *   and so is an outage that lasts longer than the model's patience; where this worker has not the code of
 *   the moment, that another one is to be asked
 * @throws {ApplicationFailure} of type LLM_TIMEOUT or LLM_FAILED, retryable, when the model may answer a
 *   later attempt
 */
export function think(
  deps: BeatDeps,
  { moment, stack, begun }: ThinkInput,
): Promise<DecisionRef | ElsewhereMoment> {
  const { info, cancellationSignal: signal } = Context.current()
  // The first attempt at a moment that this process opened cannot have a stored decision, so it needs no
  // query.
  const { db, memory } = deps
  const known = memory.moments.find(moment)
  const isFresh = info.attempt === 1 && known?.state === 'stored'
  const wait = <T>(work: () => Promise<T>) => withPostgresRetry(deps.observe, work)
  return heartbeating(async () => {
    const stored = isFresh ? known.decision : await wait(() => memory.moments.decision(db, moment))
    if (stored !== null) return refOf(stored)
    if (begun?.lost !== undefined && info.attempt === 1) {
      const { code, message, retryMs } = begun.lost
      throw ApplicationFailure.create({ type: code, message, nextRetryDelay: retryMs })
    }
    const loaded = await wait(() => memory.moments.load(db, moment))
    const left = await wait(() => leaveOpen(deps, loaded, stack))
    if (left !== null) return 'elsewhere' in left ? left : ASK_AGAIN
    const started = memory.calls.get(moment)?.started ?? performance.now()
    let thought: MindResult
    try {
      const joined = begun === undefined ? null : await joinCall(deps, moment, signal)
      if (joined !== null) return refOf(joined)
      // The first attempt knows it from the claim. Whoever began to watch since then sees the later ones.
      if (!isFresh) await noteStreaming(deps, moment)
      crashPoint('think:before-mind')
      thought = await askCancellably(deps, loaded, stack, {
        attempt: info.attempt,
        signal,
        reservation: null,
      })
    } catch (error) {
      if (error instanceof CancelledCallError) {
        const cancelled = await wait(() => memory.moments.decision(db, moment))
        if (cancelled !== null) return refOf(cancelled)
      }
      if (!(error instanceof ModelTransientError)) throw error
      thought = await attemptLater(deps, loaded, error, (performance.now() - started) / 1000)
    }
    crashPoint('think:after-mind')
    const write = newDecision(thought.decision, thought)
    const recorded = await wait(() => recordDecision(db, moment, write))
    memory.moments.decided(moment, recorded)
    crashPoint('think:after-decision')
    return refOf(recorded)
  })
}

/** The run asks `liveMoments` then, which says that the moment is outdated. */
const ASK_AGAIN: ElsewhereMoment = { elsewhere: { waitMs: 1 } }

const refOf = ({ decision, digest }: StoredDecision): DecisionRef => ({ kind: decision.kind, digest })

/** Asks the mind until somebody cancels the call. @throws {CancelledCallError} */
async function askCancellably(
  deps: BeatDeps,
  loaded: LoadedMoment,
  stack: ThinkInput['stack'],
  at: MindAttempt,
): Promise<MindResult> {
  const cancelling = new AbortController()
  const forget = deps.memory.cancels.onCancel(deps, loaded.record.moment, (reason) =>
    cancelling.abort(reason),
  )
  try {
    const signal = AbortSignal.any([at.signal, cancelling.signal])
    return await askMind(deps, loaded, stack, { ...at, signal })
  } finally {
    forget()
  }
}

const POLL_MS = 200

/**
 * Waits for a call that `liveMoments` began, in this process or in another one.
 * @returns its decision; null when nobody makes the call any more, because its process died
 * @throws {ModelTransientError} of a call of this process
 */
async function joinCall(
  deps: BeatDeps,
  moment: MomentId,
  signal: AbortSignal,
): Promise<StoredDecision | null> {
  const wait = <T>(work: () => Promise<T>) => withPostgresRetry(deps.observe, work)
  const call = deps.memory.calls.get(moment)
  if (call !== undefined) {
    crashPoint('think:joined')
    return call.join(deps, signal)
  }
  while (await wait(() => isCallUnderWay(deps.db, moment))) {
    try {
      await sleep(POLL_MS, undefined, { signal })
    } catch (error) {
      await endCall(deps.db, moment) // the other process then gives the call up
      throw error
    }
  }
  const decision = await wait(() => deps.memory.moments.decision(deps.db, moment))
  if (decision !== null) return decision
  await wait(() => endCall(deps.db, moment)) // of a process that died
  const faults = await wait(() => listFaults(deps.db, moment))
  if (Context.current().info.attempt === 1 && faults.some(({ part }) => part === 'model'))
    throw ApplicationFailure.create({ type: 'LLM_FAILED', message: 'the model gave no answer' })
  return null
}

/**
 * Fails the attempt, so that Temporal makes another one after a delay.
 * @returns the failure of the moment, when no other attempt is made
 */
async function attemptLater(
  deps: BeatDeps,
  loaded: LoadedMoment,
  error: ModelTransientError,
  seconds: number,
): Promise<MindResult> {
  const { attempt, retryPolicy } = Context.current().info
  const isLast = attempt >= (retryPolicy?.maximumAttempts ?? Number.POSITIVE_INFINITY)
  const next = await afterLoss(deps, loaded, { attempt, isLast, seconds, error })
  if ('decision' in next) {
    const overlay = deps.memory.moments.find(loaded.record.moment)?.overlay ?? null
    return { decision: next.decision, usage: null, settlement: null, overlay }
  }
  throw ApplicationFailure.create({
    type: error.code,
    message: error.message,
    nextRetryDelay: next.delayMs,
  })
}
