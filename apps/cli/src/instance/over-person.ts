import { authorizeActingAs, authorizeGrant, type Presence } from '@treeos/client'
import { type BeingName, quote, stanceOf, TreeosError } from '@treeos/core'

/**
 * Checks that somebody may decide how a person signs in: the person itself, and its makers.
 * @throws {TreeosError} FORBIDDEN, BEING_NOT_FOUND; INVALID_INPUT for a being that is not a person
 */
export async function authorizeOverPerson(
  at: Presence,
  { being, as }: { readonly being: BeingName; readonly as: BeingName },
): Promise<void> {
  await authorizeActingAs(at, as)
  const { inhabits } = await authorizeGrant(at, { being, issuer: as })
  if (inhabits)
    throw new TreeosError('INVALID_INPUT', `${quote(stanceOf(being))} is not a person: only persons sign in`)
}
