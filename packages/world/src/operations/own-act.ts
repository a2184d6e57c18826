import { TreeosError } from '@treeos/core'
import type { DecideInput } from '../extend/extension.ts'

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
  const isOwnAct = cognition === 'human' && driver === null && wake.kind === 'act' && carriedBy === null
  if (!isOwnAct || wake.outside)
    throw new TreeosError('FORBIDDEN', `${who}, by an act of its own and in its own words`)
}
