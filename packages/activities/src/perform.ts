import { Context } from '@temporalio/activity'
import {
  CONTENT_BOUNDS,
  guardJson,
  type Json,
  type JsonObject,
  type MomentId,
  type OverlayRecord,
  parseMomentId,
  TreeosError,
} from '@treeos/core'
import { leaseOfAct } from '@treeos/reality'
import {
  type Db,
  type EffectRequest,
  type EffectResult,
  findEffect,
  findEntry,
  findLease,
  findOpen,
  recordEffectResult,
} from '@treeos/store'
import type { BeatDeps } from './deps.ts'
import { crashPoint } from './guard/crash-point.ts'
import { messageOf } from './guard/failure-decision.ts'
import { heartbeating, withPostgresRetry } from './guard/guard.ts'
import { askBy, handleOfAct } from './mind/ask-signature.ts'
import { describeError, reportFault } from './moments/fault.ts'
import { outsideFetch } from './outside/outside-fetch.ts'
import { outsideRun } from './outside/outside-run.ts'
import { LEASE_EXPIRED } from './stamp/propose.ts'

/**
 * Performs the effect that a moment requested, and records its result. A rerun that finds a result performs nothing. When a
 * process dies after performing and before recording, the effect is performed again under the same key.
 * @throws {EffectError} when another attempt is made; a TreeosError of the effect is recorded as its result, and so is the
 *   error of the last attempt
 */
export async function performEffect(deps: BeatDeps, { moment }: { moment: MomentId }): Promise<null> {
  const stored = await withPostgresRetry(deps.observe, () => findEffect(deps.db, moment))
  if (stored === null) throw new Error(`the effect request of ${moment} is not stored`)
  if (stored.result !== null) return null
  // Waiting for a worker, and earlier attempts, may have taken longer than the lease lasts.
  const isExpired = await withPostgresRetry(deps.observe, () => isLeaseExpired(deps.db, moment))
  const overlays: OverlayRecord[] = []
  const ended = isExpired ? UNLEASED : await attempt(deps, moment, stored.request, overlays)
  const result = overlays.length === 0 ? ended : { ...ended, overlays }
  crashPoint('effect:after-perform')
  await withPostgresRetry(deps.observe, () => recordEffectResult(deps.db, moment, result))
  await dropOverlay(deps, moment)
  crashPoint('effect:after-result')
  return null
}

/** The text of an overlay that a person's act brought is not needed any more. A vault that is not reached forgets it later. */
async function dropOverlay(deps: BeatDeps, moment: MomentId): Promise<void> {
  const { db, memory, observe } = deps
  const handle = handleOfAct(await withPostgresRetry(observe, () => memory.moments.load(db, moment)))
  if (handle !== null) deps.overlays.drop(handle, moment)
}

/**
 * Whether the lease of a driver's moment has expired. The append checks it too, but only after an effect was performed.
 */
async function isLeaseExpired(db: Db, moment: MomentId): Promise<boolean> {
  const open = await findOpen(db, moment)
  if (open?.record.driver == null) return false
  const wake = await findEntry(db, open.record.wake.id)
  const lease = await findLease(db, parseMomentId(moment).being)
  return wake === null || lease === null || lease.epoch !== leaseOfAct(wake)?.epoch
}

const UNLEASED: EffectResult = { error: { code: 'FORBIDDEN', message: LEASE_EXPIRED } }

async function attempt(
  deps: BeatDeps,
  moment: MomentId,
  { operation, actor, target, args }: EffectRequest,
  overlays: OverlayRecord[],
): Promise<EffectResult> {
  const { effect, entry } = deps.registry.operations.get(operation) ?? {}
  if (effect === undefined) throw new Error(`the code of ${operation} is not loaded in this worker`)
  crashPoint('effect:before')
  const started = performance.now()
  return heartbeating(async () => {
    const { cancellationSignal, info } = Context.current()
    const signal = AbortSignal.any([cancellationSignal, AbortSignal.timeout(effect.timeoutSeconds * 1000)])
    const at = {
      actor,
      target,
      args: args as JsonObject,
      key: `${deps.reality.id}/${moment}`,
      signal,
      fetch: outsideFetch(deps.privateHosts, signal),
      run: outsideRun(deps.sandbox, signal),
      ask: askBy(deps, { moment, entry, signal, onOverlay: (record) => void overlays.push(record) }),
    }
    try {
      const value = await untilAborted(signal, effect.perform(at))
      // Code that blocks this process blocks the timer of the signal, too.
      if (performance.now() - started > effect.timeoutSeconds * 1000) throw new EffectTimeoutError()
      return resultOf(operation, value)
    } catch (error) {
      const fault = {
        part: 'effect',
        attempt: info.attempt,
        seconds: (performance.now() - started) / 1000,
        error,
      } as const
      await reportFault(deps, moment, fault)
      if (error instanceof TreeosError)
        return { error: { code: error.code, message: messageOf(error.message) } }
      if (cancellationSignal.aborted || info.attempt < (info.retryPolicy?.maximumAttempts ?? effect.attempts))
        // History gets only the name of the error's class, because the message may quote content.
        throw new EffectError(error instanceof Error ? error.name : '')
      return {
        error: {
          code: isTimeout(error) ? 'TIMEOUT' : 'INTERNAL',
          message: whyFailed(operation, info.attempt, error),
        },
      }
    }
  })
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'

function whyFailed(operation: string, attempts: number, error: unknown): string {
  const tries = attempts === 1 ? 'its only attempt' : `all of its ${attempts} attempts`
  return messageOf(
    `the effect of ${operation} failed in ${tries}, and may have happened nevertheless: ${describeError(error)}`,
  )
}

/** The result to record. A value that is not plain JSON is an error result: the effect was performed, so it is not retried. */
function resultOf(operation: string, value: Json): EffectResult {
  try {
    guardJson(value, CONTENT_BOUNDS)
    return { value }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return {
      error: {
        code: 'INTERNAL',
        message: messageOf(`${operation} returned a value that is not plain JSON: ${why}`),
      },
    }
  }
}

/** Rejects when the signal aborts. Work that ignores the signal runs on, and its result is dropped. */
function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** An attempt ended, but after its time. Named like the error of a signal that times out. */
class EffectTimeoutError extends Error {
  override readonly name = 'TimeoutError'
  override readonly message = 'it took longer than its timeout'
}

/** A failed attempt of an effect. Its message is the class name of the error. */
class EffectError extends Error {
  override readonly name = 'EffectError' // crosses the wire as the failure's type: do not rename
}
