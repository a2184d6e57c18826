import type { BeingName, Wake } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import { encodeJson } from '../sql/stored-json.ts'

/**
 * Puts a wake into an inbox. Idempotent by its id.
 * @returns false when a row with this id was there already
 */
export async function enqueue(db: Db, wake: Wake): Promise<boolean> {
  const result = await db
    .insertInto('inbox')
    .values({
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
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/**
 * Puts a wake of the being's own into its inbox, unless one whose id begins alike waits there unclaimed: that one will do.
 * @returns false when none was put in
 */
export async function enqueueUnlessWaiting(db: Db, wake: Wake, alike: string): Promise<boolean> {
  const { rows } = await sql`
    select from treeos.inbox
    where being = ${wake.being} and closed_by is null and claimed_by is null and starts_with(id, ${alike})
    limit 1`.execute(db)
  return rows.length === 0 && (await enqueue(db, wake))
}

/** Moves wakes that waited for more changes into the inboxes once their time has come. @returns whom to ring */
export async function releaseDelayed(db: Db): Promise<BeingName[]> {
  const { rows } = await sql<{ being: string }>`select treeos.release_delayed() as being`.execute(db)
  return rows.map((row) => row.being)
}
