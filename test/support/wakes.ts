import type { Wake } from '@treeos/core'
import { type ChainDb, encodeWake, type InboxTable } from '@treeos/store'
import type { Insertable, Kysely } from 'kysely'

/**
 * Puts a wake into an inbox by a plain insert, as only the owner of the tables may: summons that no act sent, wakes of unborn
 * beings, acts under leases that are over.
 */
export async function putWake(owner: Kysely<ChainDb>, wake: Wake): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await owner
    .insertInto('inbox')
    .values(encodeWake(wake) as unknown as Insertable<InboxTable>)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}
