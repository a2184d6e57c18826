import { type MomentId, parseMomentId, type Wake } from '@treeos/core'
import { claimAndRead, type Db, encodeWake, type InboxTable, ReadSet, type StoreDb } from '@treeos/store'
import type { Insertable, Kysely } from 'kysely'

/**
 * Puts a wake into an inbox by a plain insert, as only the owner of the tables may: summons that no act sent,
 * wakes of unborn beings, acts under leases that are over.
 */
export async function putWake(owner: Kysely<StoreDb>, wake: Wake): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await owner
    .insertInto('inbox')
    .values(encodeWake(wake) as unknown as Insertable<InboxTable>)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** Claims the next wake for a moment and reads nothing. @returns its id; null when no wake waits */
export async function claimId(db: Db, reality: string, moment: MomentId): Promise<string | null> {
  const { being, generation } = parseMomentId(moment)
  const claimed = await claimAndRead(db, { reality, being, moment, generation }, new ReadSet(), null)
  return claimed?.wake.id ?? null
}
