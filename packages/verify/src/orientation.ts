import { holdsCall } from '@treeos/core'
import { at, type Json, same } from './canonical.ts'
import { wakeIn } from './moment.ts'

/** A moment that a person decides, or that holds its call already, looks forward. */
const isForward = (open: Json): boolean =>
  at(open, 'cognition', 'kind') === 'human' || holdsCall(wakeIn(open))

/**
 * What is wrong, in words, with where a moment says that it looked; null where nothing is.
 * @param role the primary; null where it is not here
 */
export function faultOfOrientation(open: Json, role: Json): string | null {
  const asked = isForward(open) ? 'forward' : (at(open, 'wake', 'orientation') ?? null)
  if (asked === null && role === null) return null
  const turned = asked ?? at(role, 'defaultOrientation') ?? 'forward'
  const told = at(open, 'orientation') ?? 'forward'
  return same(told, turned) ? null : 'it looked elsewhere than its wake and its role say'
}
