import { type MomentId, parseMomentId } from '@treeos/core'
import { leaseOfAct } from '@treeos/reality'
import { type Db, findEntry, findLease, findOpen } from '@treeos/store'

export const LEASE_EXPIRED = 'the lease of this act has expired: inhabit the being again'

/**
 * Whether the lease of a driver's moment has expired. The append checks it too, but only after an effect was performed.
 */
export async function isLeaseExpired(db: Db, moment: MomentId): Promise<boolean> {
  const open = await findOpen(db, moment)
  if (open?.record.driver == null) return false
  const wake = await findEntry(db, open.record.wake.id)
  const lease = await findLease(db, parseMomentId(moment).being)
  return wake === null || lease === null || lease.epoch !== leaseOfAct(wake)?.epoch
}
