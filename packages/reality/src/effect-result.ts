import { type Db, readEffect } from '@treeos/chain'
import { canonicalJson, type Json, type MomentId, TreeosError } from '@treeos/core'
import type { EffectCall } from '@treeos/world'

/**
 * What came of what a moment did outside; null while it has done nothing.
 * @throws {TreeosError} what it was refused with
 */
export async function outsideOf(db: Db, moment: MomentId, call: EffectCall): Promise<{ value: Json } | null> {
  const stored = await readEffect(db, moment)
  if (stored === null || stored.result === null) return null
  // A moment has one effect: what is asked for now must be what was done.
  if (canonicalJson(stored.request) !== canonicalJson(call))
    throw new TreeosError('INTERNAL', `${call.operation} asks for something else than what was done`)
  if ('error' in stored.result) throw new TreeosError(stored.result.error.code, stored.result.error.message)
  return stored.result
}
