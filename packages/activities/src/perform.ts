import { Context } from '@temporalio/activity'
import {
  approvalOf,
  CONTENT_BOUNDS,
  guardJson,
  type Json,
  type JsonObject,
  type MomentId,
  masked,
  type OverlayRecord,
  parseMomentId,
  storableMessage,
  TreeosError,
  timerMs,
} from '@treeos/core'
import { outsideFetch } from '@treeos/egress'
import type { EffectElsewhere, PerformInput } from '@treeos/protocol'
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
import { type Effect, type EffectAttempt, type EffectFound, leaseOfAct } from '@treeos/world'
import type { BeatDeps } from './deps.ts'
import { crashPoint } from './guard/crash-point.ts'
import { heartbeating, withPostgresRetry } from './guard/guard.ts'
import { askBy, handleOfAct } from './mind/ask-signature.ts'
import { leaveEffect } from './moments/elsewhere.ts'
import { describeError, reportFault } from './moments/fault.ts'
import { type KeptFiles, keepingFiles } from './outside/keep-files.ts'
import { outsideRun } from './outside/outside-run.ts'
import { takeSecrets, withoutSecrets } from './outside/secrets.ts'
import { LEASE_EXPIRED } from './stamp/propose.ts'

/**
 * Performs the effect that a moment requested, and records its result. A rerun that finds a result performs
 * nothing. When a process dies after performing and before recording, the effect is performed again under the
 * same key. A check asks what became of an effect whose answer was lost, and records that.
 * @returns where this worker has not the code that the moment opened with, that another one is to do it
 * @throws {EffectError} when another attempt is made; a TreeosError of the effect is recorded as its result,
 *   and so is the error of the last attempt
 */
export async function performEffect(
  deps: BeatDeps,
  { moment, check, made = 0 }: PerformInput,
): Promise<null | EffectElsewhere> {
  const isCheck = check === true
  const stored = await withPostgresRetry(deps.observe, () => findEffect(deps.db, moment))
  if (stored === null) throw new Error(`the effect request of ${moment} is not stored`)
  if (stored.result !== null) return null
  const loaded = await withPostgresRetry(deps.observe, () => deps.memory.moments.load(deps.db, moment))
  const left = await withPostgresRetry(deps.observe, () =>
    leaveEffect(deps, loaded, stored.request.operation),
  )
  const before = made + Context.current().info.attempt - 1
  if (left !== null) return { elsewhere: { ...left.elsewhere, made: before } }
  // Waiting for a worker, and earlier attempts, may have taken longer than the lease lasts.
  const isFirst = !isCheck && before === 0
  const isExpired = !isCheck && (await withPostgresRetry(deps.observe, () => isLeaseExpired(deps.db, moment)))
  const overlays: OverlayRecord[] = []
  const ended = isExpired
    ? unleased(isFirst)
    : await attempt(deps, loaded.record.wake, { moment, request: stored.request, overlays, isCheck, made })
  const result = overlays.length === 0 ? ended : { ...ended, overlays }
  crashPoint('effect:after-perform')
  await withPostgresRetry(deps.observe, () => recordEffectResult(deps.db, moment, result))
  await dropOverlay(deps, moment)
  crashPoint('effect:after-result')
  return null
}

/**
 * The text of an overlay that a person's act brought is not needed any more. A vault that is not reached
 * forgets it later.
 */
async function dropOverlay(deps: BeatDeps, moment: MomentId): Promise<void> {
  const { db, memory, observe } = deps
  const handle = handleOfAct(await withPostgresRetry(observe, () => memory.moments.load(db, moment)))
  if (handle !== null) deps.overlays.drop(handle, moment)
}

/** The key of an effect that was asked for before requests held theirs: it may be under way. */
async function keyOfUnkeyed({ db, memory, observe, reality }: BeatDeps, moment: MomentId): Promise<string> {
  const { record } = await withPostgresRetry(observe, () => memory.moments.load(db, moment))
  return `${reality.id}/${approvalOf(record.wake) === null ? moment : record.wake.id}`
}

/**
 * Whether the lease of a driver's moment has expired. The append checks it too, but only after an effect was
 * performed.
 */
async function isLeaseExpired(db: Db, moment: MomentId): Promise<boolean> {
  const open = await findOpen(db, moment)
  if (open?.record.driver == null) return false
  const wake = await findEntry(db, open.record.wake.id)
  const lease = await findLease(db, parseMomentId(moment).being)
  return wake === null || lease === null || lease.epoch !== leaseOfAct(wake)?.epoch
}

/** An earlier attempt may have happened, so its refusal does not say that nothing did. */
const unleased = (isFirst: boolean): EffectResult => ({
  error: isFirst
    ? { code: 'FORBIDDEN', message: LEASE_EXPIRED }
    : { code: 'INTERNAL', message: `${LEASE_EXPIRED}; the effect may have happened before` },
})

/** One attempt of an activity: to perform the effect, or to ask what became of it. */
interface PerformAttempt {
  readonly attempt: number
  /** no further attempt is made after it */
  readonly isLast: boolean
  readonly isCancelled: boolean
  readonly seconds: number
}

/**
 * @throws {EffectError} when another attempt is made, or when a check is to find out what became of this one
 */
async function attempt(
  deps: BeatDeps,
  wake: { readonly id: string; readonly root: string },
  {
    moment,
    request,
    overlays,
    isCheck,
    made,
  }: {
    readonly moment: MomentId
    readonly request: EffectRequest
    readonly overlays: OverlayRecord[]
    readonly isCheck: boolean
    readonly made: number
  },
): Promise<EffectResult> {
  const { operation, args, actor, target } = request
  const { effect, entry } = deps.registry.operations.get(operation) ?? {}
  if (effect === undefined) throw new Error(`the code of ${operation} is not loaded in this worker`)
  crashPoint('effect:before')
  const started = performance.now()
  const seconds = () => (performance.now() - started) / 1000
  return heartbeating(async () => {
    const { cancellationSignal, info } = Context.current()
    const signal = AbortSignal.any([cancellationSignal, AbortSignal.timeout(timerMs(effect.timeoutSeconds))])
    let secrets: Readonly<Record<string, string>> = {}
    try {
      secrets = takeSecrets(effect.secrets ?? [], deps.secret)
      const key = request.key ?? (await keyOfUnkeyed(deps, moment))
      const { keep, kept } = keepingFiles(deps, { moment, actor, key, secrets })
      const at: EffectAttempt = {
        actor,
        target,
        args: args as JsonObject,
        key,
        ...{ moment, wake: wake.id, thread: wake.root },
        signal,
        secrets,
        fetch: outsideFetch(deps.privateHosts, signal),
        run: outsideRun(deps.sandbox, signal),
        ask: askBy(deps, { moment, entry, signal, onOverlay: (record) => void overlays.push(record) }),
        keep,
      }
      if (isCheck) {
        const found = await untilAborted(signal, checkOf(effect, at))
        return foundResult(operation, found, { secrets, kept })
      }
      const value = await untilAborted(signal, effect.perform(at))
      // Code that blocks this process blocks the timer of the signal, too.
      if (seconds() > effect.timeoutSeconds) throw new EffectTimeoutError()
      return resultOf(operation, masked(value, secrets), kept)
    } catch (thrown) {
      const error = withoutSecrets(thrown, secrets)
      const isLast = info.attempt >= (info.retryPolicy?.maximumAttempts ?? effect.attempts)
      const isCancelled = cancellationSignal.aborted
      const failed = { attempt: made + info.attempt, isLast, isCancelled, seconds: seconds() }
      await reportFault(deps, moment, {
        part: 'effect',
        attempt: failed.attempt,
        seconds: failed.seconds,
        error,
      })
      return isCheck
        ? unfoundResult(operation, failed)
        : failedResult(operation, error, { ...failed, isChecked: effect.check !== undefined })
    }
  })
}

/** They say that the outside did nothing, but only of their own attempt: the one before may have happened. */
const NOT_RUN: readonly string[] = ['FORBIDDEN', 'SERVICE_UNAVAILABLE']

/**
 * A TreeosError of the effect is final. Of the last attempt any other error is recorded, unless a check asks
 * what became of it.
 */
function failedResult(
  operation: string,
  error: unknown,
  { attempt, isLast, isCancelled, isChecked }: PerformAttempt & { readonly isChecked: boolean },
): EffectResult {
  const isFinal = error instanceof TreeosError && (attempt === 1 || !NOT_RUN.includes(error.code))
  if (isFinal) return { error: { code: error.code, message: storableMessage(error.message) } }
  // History gets only the name of the error's class, because the message may quote content.
  if (isCancelled || !isLast || isChecked) throw new EffectError(error instanceof Error ? error.name : '')
  return {
    error: {
      code: isTimeout(error) ? 'TIMEOUT' : 'INTERNAL',
      message: whyFailed(operation, attempt, error),
    },
  }
}

async function checkOf(effect: Effect, at: EffectAttempt): Promise<EffectFound> {
  const found = (await effect.check?.(at)) ?? { outcome: 'unknown' }
  if (found.outcome === 'unknown') throw new Error('the outside does not say what became of it')
  return found
}

function foundResult(
  operation: string,
  found: EffectFound,
  { secrets, kept }: { readonly secrets: Readonly<Record<string, string>>; readonly kept: KeptFiles },
): EffectResult {
  if (found.outcome === 'happened')
    return { ...resultOf(operation, masked(found.value, secrets), kept), checked: true }
  const message = storableMessage(
    `the effect of ${operation} did not happen: its answer was lost, and the outside was asked for it again`,
  )
  return { error: { code: 'SERVICE_UNAVAILABLE', message }, checked: true }
}

/** No check found out what became of the effect. @throws {EffectError} when another one is made */
function unfoundResult(operation: string, { attempt, isLast, isCancelled }: PerformAttempt): EffectResult {
  if (isCancelled || !isLast) throw new EffectError('Unknown')
  const message = storableMessage(
    `the answer of the effect of ${operation} was lost, and ${attempt} checks did not find out what became of it: it may have happened`,
  )
  return { error: { code: 'INTERNAL', message }, checked: true }
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'

function whyFailed(operation: string, attempts: number, error: unknown): string {
  const all = attempts === 1 ? 'its only attempt' : `all of its ${attempts} attempts`
  return storableMessage(
    `the effect of ${operation} failed in ${all}, and may have happened nevertheless: ${describeError(error)}`,
  )
}

/**
 * The result to record. A value that is not plain JSON is an error result: the effect was performed, so it is
 * not retried.
 */
function resultOf(operation: string, value: Json, kept: KeptFiles): EffectResult {
  try {
    guardJson(value, CONTENT_BOUNDS)
    const files = kept()
    return files.length === 0 ? { value } : { value, files }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return {
      error: {
        code: 'INTERNAL',
        message: storableMessage(`${operation} returned a value that is not plain JSON: ${why}`),
      },
    }
  }
}

/** Rejects when the signal aborts. Work that ignores the signal runs on, and its result is dropped. */
function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    // heard in any case: a rejection that nobody hears ends the process
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
