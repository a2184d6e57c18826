import { authorizeActingAs, authorizeGrant } from '@treeos/client/records'
import { type BeingName, quote, stanceOf, TreeosError } from '@treeos/core'
import { instanceDir } from '@treeos/local'
import { type OutletPlace, portalOf } from '@treeos/portal'
import type { InstanceOptions } from '../cli.ts'
import { asPortal, vaultsOf } from './connection.ts'

/**
 * Opens the accounts of an instance for somebody who may decide how a person signs in: the person itself, and
 * its makers.
 * @throws {TreeosError} FORBIDDEN, BEING_NOT_FOUND; INVALID_INPUT for a being that is not a person
 */
export const overPerson = <T>(
  options: InstanceOptions,
  { being, as }: { readonly being: BeingName; readonly as: BeingName },
  use: (store: ReturnType<typeof portalOf>) => Promise<T>,
): Promise<T> =>
  asPortal(options, async (at) => {
    await authorizeActingAs(at, as)
    const { inhabits } = await authorizeGrant(at, { being, issuer: as })
    if (inhabits)
      throw new TreeosError(
        'INVALID_INPUT',
        `${quote(stanceOf(being))} is not a person: only persons sign in`,
      )
    return use(portalOf(at.db))
  })

/** Opens what a person has of outlets and hooks, for itself. @throws {TreeosError} as {@link overPerson} */
export const overOutlets = <T>(
  options: InstanceOptions,
  as: BeingName,
  use: (place: OutletPlace) => Promise<T>,
): Promise<T> =>
  overPerson(options, { being: as, as }, async (store) =>
    use({ store, at: await vaultsOf(instanceDir(options)) }),
  )
