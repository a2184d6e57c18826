import type { BeingName, Wake } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import { encodeJson } from '../sql/stored-json.ts'

/**
 * Puts a wake into an inbox, once for each id.
 * @returns false when the inbox already had a wake with this id
 */
export async function enqueue(db: Db, wake: Wake): Promise<boolean> {
  const result = await db
    .insertInto('inbox')
    .values(columnsOf(wake))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/**
 * Closes a wake that no moment has claimed. One that is not stored is stored closed, so that an insert whose answer was lost
 * adds nothing later.
 * @returns false when a moment has claimed it, or it was closed before
 */
export async function withdraw(db: Db, wake: Wake): Promise<boolean> {
  const closing = { closed_by: 'withdrawn', closed_at: sql<Date>`clock_timestamp()` }
  const row = await db
    .insertInto('inbox')
    .values({ ...columnsOf(wake), ...closing })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet(closing)
        .where('inbox.closed_by', 'is', null)
        .where('inbox.claimed_by', 'is', null),
    )
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

const columnsOf = (wake: Wake) => ({
  id: wake.id,
  being: wake.being,
  kind: wake.kind,
  priority: wake.priority,
  caller: wake.caller?.name ?? null,
  caller_role: wake.caller?.role ?? null,
  caller_cognition: wake.caller?.cognition ?? null,
  content: encodeJson(wake.content),
  root: wake.root,
  in_reply_to: wake.inReplyTo,
  asked_role: wake.askedRole,
  hops: wake.hops,
  continues: wake.continues,
  cause: wake.cause === null ? null : Buffer.from(wake.cause, 'hex'),
  answers: wake.answers ?? null,
  looks: wake.looks ?? 0,
  expect_reply: wake.expectReply ?? true,
  channel: wake.channel ?? null,
})

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
