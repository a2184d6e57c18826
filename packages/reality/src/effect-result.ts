import { canonicalJson, type Json, type MomentId, TreeosError } from '@treeos/core'
import { type Db, findEffect } from '@treeos/store'
import type { EffectCall } from '@treeos/world'

/**
 * The result of the effect that a moment requested; null while there is none.
 * @throws {TreeosError} the error that the effect ended with; INTERNAL when `call` differs from the recorded request
 */
export async function effectResultOf(
  db: Db,
  moment: MomentId,
  call: EffectCall,
): Promise<{ value: Json } | null> {
  const stored = await findEffect(db, moment)
  if (stored === null || stored.result === null) return null
  // A moment has one effect, so this request must be the one that was performed.
  if (canonicalJson(stored.request) !== canonicalJson(call))
    throw new TreeosError('INTERNAL', `${call.operation} now requests another effect than the one performed`)
  if ('error' in stored.result) throw new TreeosError(stored.result.error.code, stored.result.error.message)
  return stored.result
}
