import { canonicalJson, isErrorCode, type Json, TreeosError } from '@treeos/core'
import type { EffectCall, EffectGiven } from '../extend/effect.ts'
import type { KnownEffect } from './live.ts'

/**
 * The result of the effect that a moment requested; null while there is none.
 * @throws {TreeosError} the error that the effect ended with; INTERNAL when `call` differs from the recorded
 *   request
 */
export function effectResult(known: KnownEffect | null, call: EffectCall): EffectGiven | null {
  if (known === null || known.result === null) return null
  // A moment has one effect, so this request must be the one that was performed. The law does not say its key.
  const { cause: _cause, key: _key, ...asked } = known.request
  if (canonicalJson(asked as unknown as Json) !== canonicalJson(call as unknown as Json))
    throw new TreeosError('INTERNAL', `${call.operation} now requests another effect than the one performed`)
  if (!('error' in known.result)) return known.result
  const { code, message } = known.result.error
  throw new TreeosError(isErrorCode(code) ? code : 'INTERNAL', message)
}
