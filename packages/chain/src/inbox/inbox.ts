import type { BeingName } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import { entryOf, type InboxEntry } from './entry.ts'

export async function findEntry(db: Db, id: string): Promise<InboxEntry | null> {
  const row = await db.selectFrom('inbox').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : entryOf(row)
}

/** Open wakes of a person, other than the acts they chose themselves, oldest first. */
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

/** The first reply to a summon in a being's inbox. @param correlation id of the summon */
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

/** All wakes of one thread, in the order they were made. @param root id of the thread */
export async function listChain(db: Db, root: string): Promise<InboxEntry[]> {
  const rows = await db.selectFrom('inbox').selectAll().where('root', '=', root).orderBy('age').execute()
  return rows.map(entryOf)
}

/** Closes an entry that its person has already read elsewhere. */
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

/** How many wakes a being gave itself in one thread. @param prefix start of the ids of such wakes */
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

/** Number of wakes in one thread, counted up to a bound. Wakes by change do not count: one signal can wake thousands. */
export async function countChain(db: Db, root: string, bound: number): Promise<number> {
  const { rows } = await sql<{ wakes: number }>`
    select count(*) as wakes from (
      select from treeos.inbox where root = ${root} and id not like 'change/%' limit ${bound}) as chain`.execute(
    db,
  )
  return rows[0]?.wakes ?? 0
}
