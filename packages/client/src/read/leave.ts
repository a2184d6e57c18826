import { type BeingName, stanceOf, TreeosError } from '@treeos/core'
import { authorizeActingAs, type Presence, readerOf } from '@treeos/reality'
import { isDescendant } from '../access/descent.ts'

/**
 * Whether a person may look into the past of a being: its moments, its prompts and what was said to it. A person may look into
 * its own past and that of its descendants, which are the beings that it may also inhabit. The first operator may look into
 * every past.
 */
export async function mayLookBack(at: Presence, as: BeingName, being: BeingName): Promise<boolean> {
  if (as === being) return true
  const reader = readerOf(at)
  const me = await reader.being(as)
  return me !== null && (me.parent === null || (await isDescendant(reader, being, as)))
}

/**
 * @throws {TreeosError} FORBIDDEN, the same for a being that does not exist, unless the person may know that;
 *   BEING_NOT_FOUND; what `authorizeActingAs` throws
 */
export async function authorizeLookBack(at: Presence, as: BeingName, being: BeingName): Promise<void> {
  await authorizeActingAs(at, as)
  if (!(await mayLookBack(at, as, being)))
    throw new TreeosError(
      'FORBIDDEN',
      `the past of ${stanceOf(being)} is open to itself, its makers and the operator, not to ${stanceOf(as)}`,
    )
  if ((await readerOf(at).being(being)) === null)
    throw new TreeosError('BEING_NOT_FOUND', `no being ${stanceOf(being)} lives in this reality`)
}
