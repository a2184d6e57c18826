import { TreeosError } from '@treeos/core'
import type { DecideInput } from '../extend/extension.ts'

/**
 * Whether a person is here itself: in a session of its own or by a signature, driven by nobody, with no program
 * that speaks for it. Only then it says yes, vouches, or passes a rule by which it would be asked itself.
 */
export const isInPerson = (
  { cognition, driver }: { readonly cognition: string; readonly driver: unknown },
  isFromOutside: boolean,
): boolean => cognition === 'human' && driver === null && !isFromOutside

/**
 * For what only a person does, by an act of its own: no being that it drives, no delegate, and no act whose
 * words came from outside.
 * @param who does what, as in "only a person marks as trusted"
 * @throws {TreeosError} FORBIDDEN
 */
export function requireOwnAct(
  { cognition, driver, wake, carriedBy }: Pick<DecideInput, 'cognition' | 'driver' | 'wake' | 'carriedBy'>,
  who: string,
): void {
  const isOwnAct = wake.kind === 'act' && carriedBy === null
  if (!isOwnAct || !isInPerson({ cognition, driver }, wake.outside === true))
    throw new TreeosError('FORBIDDEN', `${who}, by an act of its own and in its own words`)
}
