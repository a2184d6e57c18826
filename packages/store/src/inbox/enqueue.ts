import type { BeingName, Wake } from '@treeos/core'
import { sql } from 'kysely'
import { encodeWake } from '../ledger/encode-wake.ts'
import type { Db } from '../sql/database.ts'

/**
 * Puts an act of a person or a being's own event into an inbox, once for each id. Summons are written by append alone.
 * @returns false when the inbox already had a wake with this id
 * @throws SQLSTATE 42501 for a summon, a caller, an unknown being, or an act of a being that is not a person and under no lease
 */
export async function enqueue(db: Db, wake: Wake): Promise<boolean> {
  const { rows } = await sql<{ added: boolean }>`
    select treeos.enqueue(${JSON.stringify(encodeWake(wake))}::jsonb) as added`.execute(db)
  return rows[0]?.added === true
}

/**
 * Closes a wake that no moment has claimed. One that is not stored is stored closed, so that an insert whose answer was lost
 * adds nothing later.
 * @returns false when a moment has claimed it, or it was closed before
 */
export async function withdraw(db: Db, wake: Wake): Promise<boolean> {
  const { rows } = await sql<{ done: boolean }>`
    select treeos.withdraw(${JSON.stringify(encodeWake(wake))}::jsonb) as done`.execute(db)
  return rows[0]?.done === true
}

/**
 * Puts a wake into an inbox, unless an unclaimed one with the same start of its id already waits there.
 * @param prefix start of the ids that count as the same wake
 * @returns false when nothing was added
 */
export async function enqueueUnlessWaiting(db: Db, wake: Wake, prefix: string): Promise<boolean> {
  const { rows } = await sql`
    select from treeos.inbox
    where being = ${wake.being} and closed_by is null and claimed_by is null and starts_with(id, ${prefix})
    limit 1`.execute(db)
  return rows.length === 0 && (await enqueue(db, wake))
}

/** Moves wakes that waited for more changes into the inboxes when they are due. @returns the beings to ring */
export async function releaseDelayed(db: Db): Promise<BeingName[]> {
  const { rows } = await sql<{ being: string }>`select treeos.release_delayed() as being`.execute(db)
  return rows.map((row) => row.being)
}
