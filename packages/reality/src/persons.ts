import { type ActContent, type BeingName, stanceOf, TreeosError, unknownBeing } from '@treeos/core'
import { findLease, type Reality, type StoreDb } from '@treeos/store'
import { type BeingRow, requireNotEnded } from '@treeos/world'
import type { Kysely } from 'kysely'
import { findBeing } from './rows.ts'

/** The reality in which a person acts, and the person's being. */
export interface Presence {
  readonly db: Kysely<StoreDb>
  readonly reality: Reality
  /** being of the person; the first operator when left out */
  readonly person?: BeingName
  /**
   * the only lease that it may act under, and then never as itself; left out: as itself, and under every
   * lease that it holds
   */
  readonly lease?: { readonly being: BeingName; readonly epoch: number }
}

/**
 * Checks that a person may act as a being: as itself, or under a lease. The person holds the lease itself, or
 * drives the being that holds it.
 * @returns the lease for its acts; null when the person acts as itself
 * @throws {TreeosError} BEING_NOT_FOUND; BEING_ENDED; FORBIDDEN when the person may not act as the being
 */
export async function authorizeActingAs(
  at: Presence,
  as: BeingName,
): Promise<NonNullable<ActContent['lease']> | null> {
  const { db, person, lease: only } = at
  const me = await requireBeing(at, as)
  requireNotEnded(me)
  const isSelf = person === undefined ? me.parent === null : as === person && me.cognition.kind === 'human'
  if (isSelf && only === undefined) return null
  const lease = await findLease(db, as)
  if (only !== undefined && (only.being !== as || only.epoch !== lease?.epoch))
    throw new TreeosError(
      'FORBIDDEN',
      only.being === as
        ? `the lease on ${stanceOf(as)} is over: inhabit it again`
        : `you act as ${stanceOf(only.being)} alone here, not as ${stanceOf(as)}`,
      { reason: 'lease-over' },
    )
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
export async function requireBeing(at: Presence, name: BeingName): Promise<BeingRow> {
  const being = await findBeing(at, name)
  if (being === null) throw unknownBeing(name)
  return being
}
