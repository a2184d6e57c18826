import type { BeingName } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import { entryOf, type InboxEntry } from './entry.ts'

export async function findEntry(db: Db, id: string): Promise<InboxEntry | null> {
  const row = await db.selectFrom('inbox').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : entryOf(row)
}

/** What a person still has to answer, oldest first. */
export async function listOpenSummons(db: Db, being: BeingName): Promise<InboxEntry[]> {
  const rows = await db
    .selectFrom('inbox')
    .selectAll()
    .where('being', '=', being)
    .where('kind', '<>', 'act')
    .where('closed_by', 'is', null)
    .orderBy('age')
    .execute()
  return rows.map(entryOf)
}

/** The first answer to a correlation that lies in an inbox. */
export async function findReply(db: Db, being: BeingName, correlation: string): Promise<InboxEntry | null> {
  const row = await db
    .selectFrom('inbox')
    .selectAll()
    .where('in_reply_to', '=', correlation)
    .where('being', '=', being)
    .orderBy('age')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : entryOf(row)
}

/** Every summon of one cause chain, in the order they were made. */
export async function listChain(db: Db, root: string): Promise<InboxEntry[]> {
  const rows = await db.selectFrom('inbox').selectAll().where('root', '=', root).orderBy('age').execute()
  return rows.map(entryOf)
}

/** Marks an entry as seen by the person who waited for it, so that it does not rest in the inbox as well. */
export async function closeAsRead(db: Db, id: string): Promise<void> {
  await db
    .updateTable('inbox')
    .set({ closed_by: 'read', closed_at: sql`clock_timestamp()` })
    .where('id', '=', id)
    .where('closed_by', 'is', null)
    .execute()
}

export async function countOpen(db: Db, being: BeingName): Promise<number> {
  const row = await db
    .selectFrom('inbox')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('being', '=', being)
    .where('closed_by', 'is', null)
    .executeTakeFirstOrThrow()
  return row.open
}

/** How often a being went on by itself in one cause chain. @param prefix of the ids that such wakes have */
export async function countOwnWakes(db: Db, being: BeingName, root: string, prefix: string): Promise<number> {
  const row = await db
    .selectFrom('inbox')
    .select(({ fn }) => fn.countAll<number>().as('own'))
    .where('root', '=', root)
    .where('being', '=', being)
    .where('id', 'like', `${prefix}%`)
    .executeTakeFirstOrThrow()
  return row.own
}

/** Wakes of one cause chain, counted up to a bound; those by change are left out, since one signal wakes thousands. */
export async function countChain(db: Db, root: string, bound: number): Promise<number> {
  const { rows } = await sql<{ wakes: number }>`
    select count(*) as wakes from (
      select from treeos.inbox where root = ${root} and id not like 'change/%' limit ${bound}) as chain`.execute(
    db,
  )
  return rows[0]?.wakes ?? 0
}
