import { Context } from '@temporalio/activity'
import { type EffectRequest, type EffectResult, readEffect, recordEffectResult } from '@treeos/chain'
import {
  CONTENT_BOUNDS,
  guardJson,
  type Json,
  type JsonObject,
  type MomentId,
  TreeosError,
} from '@treeos/core'
import type { BeatDeps } from './deps/beat-deps.ts'
import { crashPoint } from './run/crash-point.ts'
import { heartbeating } from './run/heartbeat.ts'
import { messageOf } from './run/message.ts'
import { withPostgresRetry } from './run/postgres-retry.ts'
import { isLeaseExpired, LEASE_EXPIRED } from './stamp/lease.ts'

/**
 * Does outside what a moment asks for. A rerun finds the first result and does nothing again; a process that dies between
 * doing and recording does it twice, under the same key.
 * @throws whatever may succeed in another attempt; what never will is a result
 */
export async function performEffect(deps: BeatDeps, { moment }: { moment: MomentId }): Promise<null> {
  const stored = await withPostgresRetry(deps.observe, () => readEffect(deps.db, moment))
  if (stored === null) throw new Error(`what ${moment} asks for is not kept`)
  if (stored.result !== null) return null
  // It may have waited for its worker, or failed before, for longer than a lease holds.
  const isExpired = await withPostgresRetry(deps.observe, () => isLeaseExpired(deps.db, moment))
  const result = isExpired ? UNLEASED : await attempt(deps, moment, stored.request)
  crashPoint('effect:after-perform')
  await withPostgresRetry(deps.observe, () => recordEffectResult(deps.db, moment, result))
  crashPoint('effect:after-result')
  return null
}

const UNLEASED: EffectResult = { error: { code: 'FORBIDDEN', message: LEASE_EXPIRED } }

async function attempt(
  deps: BeatDeps,
  moment: MomentId,
  { operation, actor, target, args }: EffectRequest,
): Promise<EffectResult> {
  const effect = deps.registry.operations.get(operation)?.effect
  if (effect === undefined) throw new Error(`the code of ${operation} is not loaded in this worker`)
  crashPoint('effect:before')
  return heartbeating(async () => {
    const { cancellationSignal } = Context.current()
    const signal = AbortSignal.any([cancellationSignal, AbortSignal.timeout(effect.timeoutSeconds * 1000)])
    const at = { actor, target, args: args as JsonObject, key: `${deps.reality.id}/${moment}`, signal }
    try {
      return resultOf(operation, await untilAborted(signal, effect.perform(at)))
    } catch (error) {
      // Its own words stay here: history would keep them.
      if (!(error instanceof TreeosError)) throw new EffectError(error instanceof Error ? error.name : '')
      return { error: { code: error.code, message: messageOf(error.message) } }
    }
  })
}

/** It was done, whatever it says of it: no further attempt would change that. */
function resultOf(operation: string, value: Json): EffectResult {
  try {
    guardJson(value, CONTENT_BOUNDS)
    return { value }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { error: { code: 'INTERNAL', message: messageOf(`${operation} gave no plain JSON: ${why}`) } }
  }
}

/** What does not heed its signal goes on by itself, and nobody waits for it. */
function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** An attempt that failed, by the class of what it failed of. */
class EffectError extends Error {
  override readonly name = 'EffectError' // crosses the wire as the failure's type: do not rename
}
