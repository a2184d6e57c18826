import { type ChainDb, findLease, type Reality } from '@treeos/chain'
import { type ActContent, type BeingName, stanceOf, TreeosError } from '@treeos/core'
import { readerOf } from '@treeos/reality'
import type { BeingRow } from '@treeos/world'
import type { Kysely } from 'kysely'

/** Where a person acts, and as whom. */
export interface Presence {
  readonly db: Kysely<ChainDb>
  readonly reality: Reality
  /** the being that the person is; the first operator when left out */
  readonly person?: BeingName
}

/**
 * Whether a person may act as a being: as itself, or under a lease that it holds, or that somebody holds whom it drives.
 * @returns the lease that its acts are put in under; null when it acts as itself
 * @throws {TreeosError} BEING_NOT_FOUND, FORBIDDEN
 */
export async function authorizeActingAs(
  at: Presence,
  as: BeingName,
): Promise<NonNullable<ActContent['lease']> | null> {
  const { db, person } = at
  const me = await requireBeing(at, as)
  if (person === undefined ? me.parent === null : as === person && me.cognition.kind === 'human') return null
  const lease = await findLease(db, as)
  if (lease === null)
    throw new TreeosError('FORBIDDEN', `you are not ${stanceOf(as)}: inhabit it first, or act as yourself`)
  let { driver } = lease
  for (let under = lease.under; under !== null; ) {
    const above = await findLease(db, driver)
    if (above === null || above.epoch !== under) break
    driver = above.driver
    under = above.under
  }
  const topDriver = await requireBeing(at, driver)
  if (person === undefined ? topDriver.parent !== null : driver !== person)
    throw new TreeosError(
      'FORBIDDEN',
      `${stanceOf(as)} is inhabited by ${stanceOf(lease.driver)}, not by you`,
    )
  return { driver: lease.driver, epoch: lease.epoch }
}

/** @throws {TreeosError} BEING_NOT_FOUND */
async function requireBeing(at: Presence, name: BeingName): Promise<BeingRow> {
  const being = await readerOf(at).being(name)
  if (being === null)
    throw new TreeosError('BEING_NOT_FOUND', `no being ${stanceOf(name)} lives in this reality`)
  return being
}
