import { type BeingName, LIMITS } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/** Who drives a being, as long as its holder renews it. */
export interface Lease {
  readonly being: BeingName
  readonly driver: BeingName
  readonly epoch: number
  /** the driver's own epoch, when it was driven as it took the lease */
  readonly under: number | null
}

/** The lease of a being that holds right now, and so does every lease that its driver acts under; null when there is none. */
export async function findLease(db: Db, being: BeingName): Promise<Lease | null> {
  const row = await db
    .selectFrom('lease')
    .select(['being', 'driver', 'epoch', 'under'])
    .where('being', '=', being)
    .where(sql<boolean>`treeos.lease_holds(being, epoch)`)
    .executeTakeFirst()
  return row ?? null
}

/** @returns false when it is over; then nothing brings it back */
export async function renewLease(db: Db, being: BeingName, epoch: number): Promise<boolean> {
  const { rows } = await sql<{ renewed: boolean }>`
    select treeos.renew_lease(${being}, ${epoch}, ${LIMITS.leaseSeconds}) as renewed`.execute(db)
  return rows[0]?.renewed ?? false
}

/** Leases that nobody renewed in time, or whose driver is driven no more: they wait for the fact that says so. */
export async function listLapsedLeases(db: Db, limit: number): Promise<Lease[]> {
  return db
    .selectFrom('lease')
    .select(['being', 'driver', 'epoch', 'under'])
    .where(sql<boolean>`not treeos.lease_holds(being, epoch)`)
    .orderBy('expires')
    .limit(limit)
    .execute()
}
