import { type BeingName, LIMITS } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/** The right of one being to drive another, for as long as the driver renews it. */
export interface Lease {
  readonly being: BeingName
  readonly driver: BeingName
  readonly epoch: number
  /** epoch of the lease on the driver itself, if another being drove it when it took this lease */
  readonly under: number | null
}

/** The lease on a being if it holds now, together with every lease that its driver acts under; else null. */
export async function findLease(db: Db, being: BeingName): Promise<Lease | null> {
  const row = await db
    .selectFrom('lease')
    .select(['being', 'driver', 'epoch', 'under'])
    .where('being', '=', being)
    .where(sql<boolean>`treeos.lease_is_valid(being, epoch)`)
    .executeTakeFirst()
  return row ?? null
}

/** @returns false when the lease is over; it can never hold again */
export async function renewLease(db: Db, being: BeingName, epoch: number): Promise<boolean> {
  const { rows } = await sql<{ renewed: boolean }>`
    select treeos.renew_lease(${being}, ${epoch}, ${LIMITS.leaseSeconds}) as renewed`.execute(db)
  return rows[0]?.renewed ?? false
}

/**
 * Leases that were not renewed in time, or whose driver lost its own lease, by the name of the being. No fact
 * records their end yet.
 * @param after only beings with a later name
 */
export async function listLapsedLeases(db: Db, limit: number, after: BeingName = ''): Promise<Lease[]> {
  return db
    .selectFrom('lease')
    .select(['being', 'driver', 'epoch', 'under'])
    .where(sql<boolean>`not treeos.lease_is_valid(being, epoch)`)
    .where(sql<boolean>`being collate "C" > ${after}`)
    .orderBy(sql`being collate "C"`)
    .limit(limit)
    .execute()
}
