import {
  type BeingName,
  type Caller,
  type Cognition,
  canonicalJson,
  isOfThread,
  type Json,
  type MomentId,
  type Wake,
  type WakeKind,
} from '@treeos/core'
import { type Selectable, sql } from 'kysely'
import { utf8 } from '../ledger/hash.ts'
import type { Db } from '../sql/database.ts'
import type { InboxTable } from '../sql/schema.ts'
import { throwStaleGeneration } from './life.ts'

/** An inbox row with what became of it. */
export interface InboxEntry extends Wake {
  /** ms since 1970 UTC */
  readonly at: number
  readonly claimedBy: MomentId | null
  readonly closedBy: string | null
}

/** A wake as it was claimed. */
export interface ClaimedWake extends InboxEntry {
  /** its thread was cut, and it ends with that */
  readonly cut: boolean
}

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
      content: utf8(canonicalJson(wake.content)),
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

/**
 * Claims the next wake under a moment's id: the one this moment has claimed already, else by priority, then age.
 * @returns null when nothing wakes the being
 * @throws {StaleGenerationError} when a younger life has begun
 */
export async function claimWake(
  db: Db,
  being: BeingName,
  moment: MomentId,
  generation: number,
): Promise<ClaimedWake | null> {
  const { rows } = await sql<Selectable<InboxTable> & { cut: boolean }>`
    select c.*, exists (select from treeos.projection p where p.key = 'thread:' || c.root) as cut
    from treeos.claim(${being}, ${moment}, ${generation}) c`
    .execute(db)
    .catch(throwStaleGeneration)
  const [row] = rows
  if (row === undefined) return null
  const entry = entryOf(row)
  // One wake by change stands for all later ones, of other threads too: what comes of it is a thread of its own.
  if (row.cut && !isOfThread(entry)) return { ...entry, root: entry.id, cut: false }
  return { ...entry, cut: row.cut }
}

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
export async function countOwn(db: Db, being: BeingName, root: string, prefix: string): Promise<number> {
  const row = await db
    .selectFrom('inbox')
    .select(({ fn }) => fn.countAll<number>().as('own'))
    .where('root', '=', root)
    .where('being', '=', being)
    .where('id', 'like', `${prefix}%`)
    .executeTakeFirstOrThrow()
  return row.own
}

/** Moves wakes that waited for more changes into the inboxes once their time has come. @returns whom to ring */
export async function releaseDelayed(db: Db): Promise<BeingName[]> {
  const { rows } = await sql<{ being: string }>`select treeos.release_delayed() as being`.execute(db)
  return rows.map((row) => row.being)
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

/**
 * Beings whose inbox holds a wake that nobody took for a while: their doorbell was lost, or their worker is down. Those that
 * a budget keeps from taking any are left out until it does no more.
 */
export async function listUnrung(db: Db, olderThanSeconds: number, limit: number): Promise<BeingName[]> {
  return (await pageUnrung(db, olderThanSeconds, limit, 0)).map(({ being }) => being)
}

/**
 * A page of them, whoever waits longest first.
 * @param after age of the last one of the page before; 0 for the first page
 */
export async function pageUnrung(
  db: Db,
  olderThanSeconds: number,
  limit: number,
  after: number,
): Promise<{ being: BeingName; age: number }[]> {
  // Once a being, not once a row: thousands of summons may rest with a person.
  const { rows } = await sql<{ being: string; age: number }>`
    select being, min(age) as age from (
      select being, kind, min(age) as age from treeos.inbox
      where closed_by is null and claimed_by is null
        and at < clock_timestamp() - make_interval(secs => ${olderThanSeconds})
      group by being, kind
    ) as waiting
    where treeos.wakes(being, kind) and (kind = 'act' or not (treeos.is_parked(being) or treeos.is_paced(being)))
    group by being having min(age) > ${after}
    order by min(age) limit ${limit}`.execute(db)
  return rows
}

/** The line before all beings of a reality: wakes that no moment has taken; what rests with persons and the parked is left out. */
export async function measureInboxes(db: Db): Promise<{ waiting: number; oldestSeconds: number }> {
  const { rows } = await sql<{ waiting: number; oldest: number | null }>`
    select count(*) as waiting, extract(epoch from clock_timestamp() - min(at))::float8 as oldest
    from treeos.inbox where closed_by is null and claimed_by is null and treeos.wakes(being, kind)
      and not treeos.is_parked(being)`.execute(db)
  return { waiting: rows[0]?.waiting ?? 0, oldestSeconds: rows[0]?.oldest ?? 0 }
}

/**
 * Beings with a wake that a moment took a while ago and has not closed: they think, or were ended from outside. By name.
 * @param after name of the last one of the page before
 */
export async function listBusy(
  db: Db,
  olderThanSeconds: number,
  limit: number,
  after: BeingName = '',
): Promise<BeingName[]> {
  const rows = await db
    .selectFrom('inbox')
    .select('being')
    .groupBy('being')
    .where('closed_by', 'is', null)
    .where('claimed_by', 'is not', null)
    // What a role is not opened by stays open, and its moment is over.
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('moment_outcome').select('moment').whereRef('moment', '=', 'claimed_by'))),
    )
    .where('at', '<', sql<Date>`clock_timestamp() - make_interval(secs => ${olderThanSeconds})`)
    .where(sql<boolean>`being collate "C" > ${after}`)
    .orderBy(sql`being collate "C"`)
    .limit(limit)
    .execute()
  return rows.map((row) => row.being)
}

function entryOf(row: Selectable<InboxTable>): InboxEntry {
  return {
    id: row.id,
    being: row.being,
    kind: row.kind as WakeKind,
    priority: row.priority,
    caller: callerOf(row),
    content: JSON.parse(row.content.toString('utf8')) as Json,
    root: row.root,
    inReplyTo: row.in_reply_to,
    askedRole: row.asked_role,
    hops: row.hops,
    continues: row.continues,
    cause: row.cause?.toString('hex') ?? null,
    at: row.at.getTime(),
    claimedBy: row.claimed_by,
    closedBy: row.closed_by,
  }
}

function callerOf(row: Selectable<InboxTable>): Caller | null {
  if (row.caller === null) return null
  return { name: row.caller, role: row.caller_role, cognition: row.caller_cognition as Cognition }
}
