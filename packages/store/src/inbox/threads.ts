import {
  ASKED_PREFIX,
  type BeingName,
  type MomentId,
  type OutcomeKind,
  SPEECH_KIND,
  type Thread,
} from '@treeos/core'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { detailOf } from '../ledger/refusal-digest.ts'
import { offspringOf } from '../rows/offspring.ts'
import type { Db } from '../sql/database.ts'
import type { InboxTable } from '../sql/schema.ts'
import { entryOf, type InboxEntry } from './entry.ts'
import { isOpenRow } from './questions.ts'

export interface ThreadsWanted {
  /** at most this many */
  readonly last: number
  /** finished threads too */
  readonly all: boolean
  /** only threads whose latest wake is older than this place in the order of all wakes */
  readonly before?: number | undefined
  /** only threads in which this being was woken or spoke */
  readonly with?: BeingName | undefined
  /** only threads in which nobody else takes part */
  readonly alone?: boolean | undefined
}

export interface ThreadPage {
  readonly threads: readonly Thread[]
  /** the place of the last one, to give as `before`; null: no more come */
  readonly next: number | null
}

/** Threads with an open wake, most recently moved first. */
export const listThreads = (db: Db, wanted: ThreadsWanted): Promise<ThreadPage> =>
  pageThreads(db, wanted, wanted.with === undefined ? [] : [wanted.with])

/** The same, only of threads in which the being was woken or spoke. */
export const listThreadsOf = (db: Db, being: BeingName, wanted: ThreadsWanted): Promise<ThreadPage> =>
  pageThreads(db, wanted, [being, ...(wanted.with === undefined ? [] : [wanted.with])])

/**
 * Threads in which each of these was woken or spoke. No index of the inbox serves this, as each would cost
 * every moment two writes: all of it is read, once for all of them.
 */
function areIn(beings: readonly BeingName[]): RawBuilder<unknown> {
  if (beings.length === 0) return sql`true`
  const among = sql`${[...beings]}::text[]`
  const each = beings.map((being) => sql`bool_or(being = ${being} or caller = ${being})`)
  return sql`root in (
    select root from treeos.inbox where being = any(${among}) or caller = any(${among})
    group by root having ${sql.join(each, sql` and `)})`
}

/**
 * Those of them in which nobody else takes part, as `tallyThreads` says: one of these began it, no other
 * person spoke in it, and none of them spoke to another.
 */
function areAlone(beings: readonly BeingName[]): RawBuilder<unknown> {
  const among = sql`${[...beings]}::text[]`
  return sql`root in (
    select named.root from (select distinct root from treeos.inbox where ${areIn(beings)}) named
    cross join lateral (
      select being, caller from treeos.inbox i where i.root = named.root and id not like 'change/%' order by age limit 1) first
    where first.being = any(${among}) and (first.caller is null or first.caller = any(${among}))
      and not exists (
        select from treeos.inbox i where i.root = named.root and kind = 'summon' and (
          caller_cognition = 'human' and caller <> all(${among})
          or caller = any(${among}) and in_reply_to is null and being <> all(${among}))))`
}

async function pageThreads(
  db: Db,
  { last, all, before, alone = false }: ThreadsWanted,
  beings: readonly BeingName[],
): Promise<ThreadPage> {
  const { rows } = await sql<{ root: string; latest: number }>`
    select root, max(age) as latest from treeos.inbox
    where ${alone ? areAlone(beings) : areIn(beings)} and (${all} or (closed_by is null and notice is null))
    group by root having ${before === undefined ? sql`true` : sql`max(age) < ${before}`}
    order by max(age) desc limit ${last + 1}`.execute(db)
  const shown = rows.slice(0, last)
  return {
    threads: await tallyThreads(
      db,
      shown.map(({ root }) => root),
    ),
    next: rows.length > last ? (shown.at(-1)?.latest ?? null) : null,
  }
}

/**
 * Threads with at least one summon that names this channel. The thread with the latest activity comes first.
 */
export async function listThreadsOfChannel(db: Db, channel: string, last: number): Promise<Thread[]> {
  const { rows } = await sql<{ root: string }>`
    select root from treeos.inbox
    where root in (select root from treeos.inbox where channel = ${channel})
    group by root order by max(age) desc limit ${last}`.execute(db)
  return tallyThreads(
    db,
    rows.map(({ root }) => root),
  )
}

/** The state of one thread now; null when it does not exist. */
export async function threadOf(db: Db, id: string): Promise<Thread | null> {
  return (await tallyThreads(db, [id]))[0] ?? null
}

/**
 * Sums up threads, in the order of their ids. Leaves out those that never began. Participants are the being
 * that began the thread, persons that spoke in it, and whoever one of them spoke to. A being that a change
 * woke does not take part, whatever it says.
 */
async function tallyThreads(db: Db, threads: readonly string[]): Promise<Thread[]> {
  if (threads.length === 0) return []
  const { rows } = await sql<Thread>`
    with recursive part(root, name) as (
      select root, name from (
          select distinct on (root) root, being, caller from treeos.inbox
          where root = any(${threads}::text[]) and id not like 'change/%' order by root, age) as first,
        lateral (values (being), (caller)) as beginner(name)
        where name is not null
      union
      select root, caller from treeos.inbox
        where root = any(${threads}::text[]) and kind = 'summon' and caller_cognition = 'human'
      union
      select i.root, i.being from part p join treeos.inbox i on i.root = p.root and i.caller = p.name
        where i.kind = 'summon' and i.in_reply_to is null
    )
    select i.root as thread,
      case when exists (select from treeos.projection p where p.key = 'thread:' || i.root) then 'severed'
        when bool_and(i.closed_by is not null or i.notice is not null) then 'complete'
        when count(o.moment) = 0 then 'pending' else 'live' end as state,
      array(select name collate "C" from part p where p.root = i.root order by 1) as participants,
      count(*) as wakes,
      count(*) filter (where i.closed_by is null and i.notice is null) as open,
      count(*) filter (where o.kind = 'act') as acts,
      max(i.hops) as depth,
      (extract(epoch from min(i.at)) * 1000)::bigint as began,
      (extract(epoch from max(i.at)) * 1000)::bigint as moved,
      coalesce(array_agg(i.id) filter (where i.closed_by is null and i.kind = 'summon' and b.cognition = 'human'), '{}')
        as unanswered,
      coalesce(array_agg(i.id) filter (where i.closed_by is null and b.cognition = 'human'
          and (i.notice is not null or i.kind = 'event' and starts_with(i.id, ${ASKED_PREFIX}))), '{}')
        as notices
    from treeos.inbox i
      left join treeos.moment_outcome o on o.wake = i.id and o.reason is distinct from 'superseded'
      left join treeos.projection b on b.key = 'being:' || i.being
    where i.root = any(${threads}::text[])
    group by i.root
    order by array_position(${threads}::text[], i.root)`.execute(db)
  return rows
}

/** A wake of a thread, and how the moment that it woke ended. */
export interface ThreadEntry {
  readonly entry: InboxEntry
  /** of an answer: the beings whose answers it followed */
  readonly followed: readonly BeingName[]
  /** null while there is none, and where the past of its being is not open */
  readonly ended: {
    readonly moment: MomentId
    readonly n: number
    readonly kind: OutcomeKind
    readonly reason: string | null
    readonly detail: string | null
  } | null
}

/**
 * The newest wakes of a thread that a being may read, oldest first, and how many there are in all: those that
 * one said or was told whose past is open to it. Acts are left out.
 * @param of the being, with its offspring at any distance; null: all
 */
export async function listThreadEntries(
  db: Db,
  root: string,
  { of, last }: { readonly of: BeingName | null; readonly last: number },
): Promise<{ readonly entries: readonly ThreadEntry[]; readonly all: number }> {
  const isOpen = (being: RawBuilder<unknown>) =>
    of === null ? sql`true` : sql`${being} in (select being from offspring)`
  const { rows } = await sql<
    Selectable<InboxTable> & {
      moment: MomentId
      n: number | null
      outcome: OutcomeKind
      reason: string | null
      detail: string | null
      refusal: Buffer | null
      followed: BeingName[] | null
    }
  >`
    with recursive ${offspringOf(of)}
    select i.*, o.moment, o.n, o.kind as outcome, o.reason, o.detail, o.refusal, treeos.told(f.bytes)->'followed' as followed from (
      select * from treeos.inbox i where i.root = ${root} and i.kind <> 'act' and (${isOpen(sql`i.being`)} or ${isOpen(sql`i.caller`)})
      order by i.age desc limit ${last}
    ) i left join treeos.moment_outcome o on o.wake = i.id and o.reason is distinct from 'superseded' and ${isOpen(sql`i.being`)}
    left join treeos.fact f on f.hash = i.cause and f.kind = ${SPEECH_KIND} and i.kind = 'summon'
    order by i.age`.execute(db)
  const counted = await sql<{ all: number }>`
    select count(*) as all from treeos.inbox where root = ${root} and kind <> 'act'`.execute(db)
  const entries = rows.map(({ moment, n, outcome: kind, reason, detail, refusal, followed, ...row }) => ({
    entry: entryOf(row),
    followed: followed ?? [],
    ended: n === null ? null : { moment, n, kind, reason, detail: detailOf({ detail, refusal }) },
  }))
  return { entries, all: counted.rows[0]?.all ?? 0 }
}

/** A question of a thread that has no answer, while a wake about it is open. */
export interface OpenQuestion {
  readonly id: string
  readonly asker: BeingName
  readonly being: BeingName
  /** the question for which its sender asks it, where that is open, too, and may be read; null for none */
  readonly for: string | null
}

/**
 * The questions of a thread that somebody still works on, oldest first.
 * @param of as in {@link listThreadEntries}
 */
export async function listOpenQuestions(
  db: Db,
  root: string,
  of: BeingName | null = null,
): Promise<OpenQuestion[]> {
  const isReadable =
    of === null ? sql`true` : sql`q.caller in (table offspring) or q.being in (table offspring)`
  const { rows } = await sql<OpenQuestion>`
    with recursive ${offspringOf(of)}, asked as (
      select q.id, q.caller as asker, q.being, q.about, q.age from treeos.inbox q
      where q.root = ${root} and q.kind = 'summon' and q.in_reply_to is null and q.expect_reply and q.caller <> q.being
        and (${isReadable}) and ${isOpenRow()} and not exists (
        select from treeos.inbox a where a.in_reply_to = q.id and a.being = q.caller and a.kind = 'summon')
    )
    select id, asker, being, (select f.id from asked f where f.id = q.about) as for from asked q order by age`.execute(
    db,
  )
  return rows
}

/** What began a thread, and what was said in it last, as far as one may read it. */
export interface ThreadWords {
  readonly thread: string
  readonly channel: string | null
  readonly first: InboxEntry
  readonly last: InboxEntry
}

/**
 * Of these threads the first and the last words that a being may read: those that one said or was told whose
 * past is open to it.
 * @param of the being, with its offspring at any distance; null: all
 */
export async function listThreadWords(
  db: Db,
  threads: readonly string[],
  of: BeingName | null,
): Promise<ThreadWords[]> {
  if (threads.length === 0) return []
  const isReadable =
    of === null
      ? sql`true`
      : sql`(i.being in (select being from offspring) or i.caller in (select being from offspring))`
  const { rows } = await sql<
    Selectable<InboxTable> & { readonly isFirst: boolean; readonly name: string | null }
  >`
    with recursive ${offspringOf(of)}
    select i.*, edge."isFirst", edge.name from (
      select i.root, min(i.age) as first, max(i.age) as last, max(i.channel) as name from treeos.inbox i
      where i.root = any(${[...threads]}::text[]) and i.kind = 'summon' and i.notice is null and ${isReadable} group by i.root
    ) asked
    cross join lateral (values (asked.first, true, asked.name), (asked.last, false, asked.name)) as edge(age, "isFirst", name)
    join treeos.inbox i on i.root = asked.root and i.age = edge.age`.execute(db)
  const pairs = Map.groupBy(rows, ({ root }) => root)
  return [...pairs].flatMap(([thread, pair]) => {
    const [first, last] = [pair.find(({ isFirst }) => isFirst), pair.find(({ isFirst }) => !isFirst)]
    if (first === undefined || last === undefined) return []
    return [{ thread, channel: first.name, first: entryOf(first), last: entryOf(last) }]
  })
}
