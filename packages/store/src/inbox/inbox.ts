import type { BeingName, Json } from '@treeos/core'
import { type Selectable, sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import type { InboxTable } from '../sql/schema.ts'
import { entryOf, type InboxEntry } from './entry.ts'

export async function findEntry(db: Db, id: string): Promise<InboxEntry | null> {
  if (id.includes('\0')) return null // no text of Postgres holds one
  const row = await db.selectFrom('inbox').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : entryOf(row)
}

/** Many entries, by id; unknown ids are left out. */
export async function listEntries(db: Db, ids: readonly string[]): Promise<Map<string, InboxEntry>> {
  const rows = await db
    .selectFrom('inbox')
    .selectAll()
    .where('id', '=', sql<string>`any(${[...ids]}::text[])`)
    .execute()
  return new Map(rows.map((row) => [row.id, entryOf(row)]))
}

export interface PageWanted {
  /** only those after the entry with this id, which may be closed */
  readonly after?: string | undefined
  /** at most this many */
  readonly limit?: number | undefined
  /** only those whose ids begin so */
  readonly prefix?: string
  /** only those that ask this of their person, as `treeos.kind_of` says */
  readonly kind?: string | undefined
  /** true: the newest first, and `after` is the oldest one of the page before */
  readonly isNewestFirst?: boolean
}

/**
 * Open wakes of a person, other than the acts they chose themselves, oldest first unless the page says
 * otherwise.
 * @param page which of them
 */
export async function listOpenSummons(
  db: Db,
  being: BeingName,
  { after, limit, prefix, kind, isNewestFirst = false }: PageWanted = {},
): Promise<InboxEntry[]> {
  let open = db
    .selectFrom('inbox')
    .selectAll()
    .where('being', '=', being)
    .where('kind', '<>', 'act')
    .where('closed_by', 'is', null)
    .orderBy('age', isNewestFirst ? 'desc' : 'asc')
  if (after !== undefined) {
    const last = sql<number>`(select age from treeos.inbox where id = ${after} and being = ${being})`
    open = open.where('age', isNewestFirst ? '<' : '>', last)
  }
  if (prefix !== undefined) open = open.where(sql<boolean>`starts_with(id, ${prefix})`)
  if (kind !== undefined) open = open.where(sql<boolean>`treeos.kind_of(inbox) = ${kind}`)
  const rows = await (limit === undefined ? open : open.limit(limit)).execute()
  return rows.map(entryOf)
}

/** Open entries of one kind. */
interface OpenCount {
  /** what they ask of their person, as `treeos.kind_of` says */
  readonly kind: string
  readonly count: number
  /** when the newest of them came, or the latest that it stands for: Unix time in ms */
  readonly newest: number
}

/** How many entries {@link listOpenSummons} would list, by what they ask. */
export async function countOpenSummons(db: Db, being: BeingName): Promise<OpenCount[]> {
  const { rows } = await sql<OpenCount>`
    select treeos.kind_of(inbox) as kind, count(*) as count,
      (extract(epoch from max(greatest(at, latest))) * 1000)::bigint as newest
    from treeos.inbox where being = ${being} and kind <> 'act' and closed_by is null group by 1`.execute(db)
  return rows
}

/** The first reply to a summon in a being's inbox. @param correlation id of the summon */
export async function findReply(db: Db, being: BeingName, correlation: string): Promise<InboxEntry | null> {
  return (await listReplies(db, new Map([[correlation, being]]))).get(correlation) ?? null
}

/**
 * The first reply to each of some summons.
 * @param summons whose inbox it is in, by the id of the summon
 * @returns by the same ids
 */
export async function listReplies(
  db: Db,
  summons: ReadonlyMap<string, BeingName>,
): Promise<ReadonlyMap<string, InboxEntry>> {
  const { rows } = await sql<Selectable<InboxTable>>`
    select distinct on (r.in_reply_to) r.*
    from unnest(${[...summons.keys()]}::text[], ${[...summons.values()]}::text[]) as s(id, caller)
    join treeos.inbox r on r.in_reply_to = s.id and r.being = s.caller and r.kind = 'summon' -- a notice may end it, too
    order by r.in_reply_to, r.age`.execute(db)
  return new Map(rows.map((row) => [row.in_reply_to as string, entryOf(row)]))
}

/** Answers of one being to another, the newest first. */
export async function listAnswersFrom(
  db: Db,
  { being, from, limit }: { readonly being: BeingName; readonly from: BeingName; readonly limit: number },
): Promise<InboxEntry[]> {
  const rows = await db
    .selectFrom('inbox')
    .selectAll()
    .where('being', '=', being)
    .where('caller', '=', from)
    .where('in_reply_to', 'is not', null)
    .orderBy('age', 'desc')
    .limit(limit)
    .execute()
  return rows.map(entryOf)
}

/** What one being last summoned another with in a thread, oldest first. */
export async function listSaid(
  db: Db,
  of: { readonly root: string; readonly by: BeingName; readonly to: BeingName; readonly limit: number },
): Promise<Json[]> {
  const rows = await db
    .selectFrom('inbox')
    .selectAll()
    .where('root', '=', of.root)
    .where('caller', '=', of.by)
    .where('being', '=', of.to)
    .where('kind', '=', 'summon')
    .orderBy('age', 'desc')
    .limit(of.limit)
    .execute()
  return rows.reverse().map((row) => entryOf(row).content)
}

/** All wakes of one thread, in the order they were made. @param root id of the thread */
export async function listChain(db: Db, root: string): Promise<InboxEntry[]> {
  const rows = await db.selectFrom('inbox').selectAll().where('root', '=', root).orderBy('age').execute()
  return rows.map(entryOf)
}

/** How a person closed an entry without a moment. */
export type ClosedHow = 'read' | 'dismissed' | 'answered'

/**
 * Closes open entries of the inbox of a person, or of a being that somebody drives now. A question is not
 * closed as `read`.
 * @param ids which; null for all notices
 * @returns how many
 */
export async function closeEntries(
  db: Db,
  being: BeingName,
  ids: readonly string[] | null,
  how: ClosedHow,
): Promise<number> {
  const { rows } = await sql<{ closed: number }>`
    select treeos.close_entries(${being}, ${ids}::text[], ${how}) as closed`.execute(db)
  return rows[0]?.closed ?? 0
}

/**
 * Closes an answer as read that a workflow of a host got, as a person who lets workflows act as it. For workers.
 */
export async function closeHosted(db: Db, being: BeingName, id: string): Promise<void> {
  await sql`select treeos.close_hosted(${being}, ${[id]}::text[])`.execute(db)
}

/** How full an inbox is: open entries besides notices, and those of them that one sender sent. */
export async function measureRoom(
  db: Db,
  being: BeingName,
  sender: BeingName,
): Promise<{ open: number; ofSender: number }> {
  const { rows } = await sql<{ open: number; ofSender: number }>`
    select count(*) as open, count(*) filter (where caller = ${sender}) as "ofSender"
    from treeos.inbox where being = ${being} and closed_by is null and notice is null`.execute(db)
  return rows[0] ?? { open: 0, ofSender: 0 }
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

/**
 * Number of wakes in one thread, counted up to a bound. Wakes by change do not count: one signal can wake
 * thousands.
 */
export async function countChain(db: Db, root: string, bound: number): Promise<number> {
  const { rows } = await sql<{ wakes: number }>`
    select count(*) as wakes from (
      select from treeos.inbox where root = ${root} and id not like 'change/%' limit ${bound}) as chain`.execute(
    db,
  )
  return rows[0]?.wakes ?? 0
}
