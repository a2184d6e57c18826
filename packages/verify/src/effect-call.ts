import { canonicalTarget } from '@treeos/world'
import { at, isObject, type Json, same } from './canonical.ts'
import type { Moment } from './moment.ts'

/**
 * What contradicts between what was asked of the outside and the call that was decided, and so that persons said yes to: who asked, for
 * what, of whom, with which amounts. @returns null where nothing does
 * @param manifest of the code; undefined where it is not here: then it may be an operation that asks for another
 */
export function faultOfEffectCall(
  { record, decision, effect }: Moment,
  manifest: Json | undefined,
): string | null {
  const [request, call] = [at(effect, 'request'), at(decision, 'call')]
  if (!isObject(request) || decision === null) return null
  if (!isObject(call) || (call.verb !== 'do' && call.verb !== 'be'))
    return 'it asked the outside for something, and called no operation'
  const { operation, target = null } = call
  const own = at(manifest, 'operations', call.verb, String(operation))
  if (operation === 'mediate' || at(own, 'mediates') === true) return null // it asks in place of another
  if (request.operation !== operation)
    return manifest === undefined ? null : 'it asked the outside for another operation than it called'
  if (request.actor !== record.being) return 'another being asked the outside than the one that called'
  if (!same(request.args ?? null, call.args ?? null))
    return 'what it asked of the outside has other arguments than its call'
  const isNamed = typeof target === 'string' && target !== '~'
  const isOfTarget = !isNamed || request.target === canonicalTarget('canSee', target, '/')
  return isOfTarget ? null : 'it asked the outside about something else than its call'
}
