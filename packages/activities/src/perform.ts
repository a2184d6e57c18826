import { Context } from '@temporalio/activity'
import { type EffectResult, readEffect, recordEffectResult } from '@treeos/chain'
import { CONTENT_BOUNDS, guardJson, type JsonObject, type MomentId, TreeosError } from '@treeos/core'
import type { BeatDeps } from './deps.ts'
import { heartbeating } from './heartbeat.ts'
import { messageOf } from './message.ts'
import { patiently } from './patience.ts'

/**
 * Does outside what a moment asks for. A rerun finds the first result and does nothing again; a process that dies between
 * doing and recording does it twice, under the same key.
 * @throws whatever may succeed in another attempt; what never will is a result
 */
export async function performEffect(deps: BeatDeps, { moment }: { moment: MomentId }): Promise<null> {
  const stored = await patiently(deps.observe, () => readEffect(deps.db, moment))
  if (stored === null) throw new Error(`what ${moment} asks for is not kept`)
  if (stored.result !== null) return null
  const { operation, actor, target, args } = stored.request
  const effect = deps.parts.operations.get(operation)?.effect
  if (effect === undefined) throw new Error(`the code of ${operation} is not loaded in this worker`)
  const { cancellationSignal, info } = Context.current()
  const signal = AbortSignal.any([cancellationSignal, AbortSignal.timeout(info.startToCloseTimeoutMs)])
  const result = await heartbeating(async (): Promise<EffectResult> => {
    try {
      const value = await effect.perform({
        actor,
        target,
        args: args as JsonObject,
        key: `${deps.reality.name}/${moment}`,
        signal,
      })
      guardJson(value, CONTENT_BOUNDS)
      return { value }
    } catch (error) {
      if (!(error instanceof TreeosError)) throw error
      return { error: { code: error.code, message: messageOf(error.message) } }
    }
  })
  await patiently(deps.observe, () => recordEffectResult(deps.db, moment, result))
  return null
}
