/** What beings asked each other, and what of it is to come. */
import type { BeingName, Cognition, OwedAnswer } from '@treeos/core'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/**
 * The wake that a row `w` of the inbox is about, as the SQL function `question_of` says, which no reader may call: its own; or, where its
 * being goes on by it, or is told of the end of a question of its own, the one for which it did or asked.
 */
export const aboutOf = (w: RawBuilder<unknown> = sql`w`): RawBuilder<string> => sql`
  case when ${w}.about is not null and (${w}.kind = 'event' or ${w}.caller = ${w}.being) then ${w}.about
    else coalesce((
      select s.about from treeos.inbox s where s.id = ${w}.in_reply_to and s.caller = ${w}.being and ${w}.kind <> 'act'), ${w}.id) end`

/** Of a row `s`: its sender asked it for another wake, and waits for the answer. */
const isAsked = sql`s.kind = 'summon' and s.in_reply_to is null and s.expect_reply and s.being <> s.caller`
/** Of a row `r`: it answers the row `s`. */
const isAnswer = sql`r.in_reply_to = s.id and r.being = s.caller and r.kind = 'summon'`

/**
 * Of a row `s` that is asked: its sender has not heard of its end. A being is told of each end, so what was neither answered nor let go is
 * still to come.
 * @param but a wake that counts as heard: that of the moment that asks
 */
const isUnheard = (but: RawBuilder<unknown>): RawBuilder<boolean> => sql`case
  when s.let_go is not null then exists (
    select from treeos.inbox n where n.id = s.let_go and n.closed_by is null and n.id is distinct from ${but})
  when exists (select from treeos.inbox r where ${isAnswer}) then exists (
    select from treeos.inbox r where ${isAnswer} and r.closed_by is null and r.id is distinct from ${but})
  else true end`

/** Most beings that a moment says it has not heard. */
const UNHEARD_MAX = 8

/**
 * Of a row `q`: whose answers its being has got of those that it asked for it, each once, in the order of the moments that these opened.
 * @param before no moment from this number on counts; null: all do
 */
const heardFor = (before: RawBuilder<number> | null): RawBuilder<BeingName[]> => sql`array(
  select r.caller from treeos.inbox s join treeos.inbox r on ${isAnswer}
    join treeos.moment_outcome o on o.wake = r.id and o.being = q.being
  where s.about = q.id and s.caller = q.being and s.kind = 'summon' and s.in_reply_to is null and r.caller <> q.being
    and o.n < coalesce(${before}, o.n + 1)
  group by r.caller order by min(o.n))`

/** What a wake is about. */
export interface OwedState {
  readonly owed: OwedAnswer
  /** whom its being asked for that and has not heard yet */
  readonly unheard: readonly BeingName[]
  /** whose answers its being has got of these, before this wake, in their order */
  readonly heard: readonly BeingName[]
}

/** The question that a wake is about, and who was asked for it; null for none, and once it was answered or let go. */
export async function findOwed(db: Db, wake: string): Promise<OwedState | null> {
  const { rows } = await sql<{
    unheard: BeingName[]
    heard: BeingName[]
    id: string
    name: BeingName
    role: string | null
    cognition: Cognition
    hops: number
  }>`
    select q.id, q.caller as name, q.caller_role as role, q.caller_cognition as cognition, q.hops, array(
        select s.being from treeos.inbox s where s.about = q.id and ${isAsked} and ${isUnheard(sql`w.id`)}
        order by s.age limit ${UNHEARD_MAX}) as unheard, ${heardFor(null)} as heard
    from treeos.inbox w join treeos.inbox q on q.id = ${aboutOf()}
    where w.id = ${wake} and q.kind = 'summon' and q.caller <> q.being and q.in_reply_to is null and q.expect_reply
      and q.let_go is null and not exists (
      select from treeos.inbox r where r.in_reply_to = q.id and r.being = q.caller and r.kind = 'summon')`.execute(
    db,
  )
  const [row] = rows
  if (row === undefined) return null
  const { id, hops, unheard, heard, ...caller } = row
  return { owed: { id, caller, hops }, unheard, heard }
}

/**
 * Whose answers a being had got for a question before each of some of its moments, as {@link findOwed} says.
 * @param asked the question of each moment, by the number of that
 * @returns by the same numbers; none for a question that is gone
 */
export async function listHeard(
  db: Db,
  asked: ReadonlyMap<number, string>,
): Promise<ReadonlyMap<number, readonly BeingName[]>> {
  const { rows } = await sql<{ n: number; heard: BeingName[] }>`
    select k.n, ${heardFor(sql`k.n`)} as heard
    from unnest(${[...asked.keys()]}::integer[], ${[...asked.values()]}::text[]) as k(n, id)
    join treeos.inbox q on q.id = k.id`.execute(db)
  return new Map(rows.map(({ n, heard }) => [n, heard]))
}

/**
 * Of a row `q`: something is still to come of it, its moment, one by which its being goes on for it, a yes that is waited for, or what others
 * were asked for it. Nothing is of what was let go, or is in a thread that was cut.
 * @param but a wake that does not count: that of the moment that asks
 */
export const isOpenRow = (but: string | null = null): RawBuilder<boolean> => sql`q.let_go is null
  and not exists (select from treeos.projection p where p.key = 'thread:' || q.root)
  and (q.closed_by is null and q.id is distinct from ${but}
      -- A summon that does not trigger the role stays, and no moment claims it again.
      and not exists (select from treeos.moment_outcome o where o.wake = q.id and o.reason = 'not-triggered')
    or exists (select from treeos.inbox i where i.about = q.id and i.closed_by is null and i.id is distinct from ${but}
      and (i.kind = 'event' or i.being = q.being))
    or exists (select from treeos.inbox s where s.about = q.id and ${isAsked} and ${isUnheard(sql`${but}::text`)}))`

/** Whether something is still to come of a wake, beside another one. */
export async function isOpenWake(db: Db, id: string, but: string | null = null): Promise<boolean> {
  const { rows } = await sql`select from treeos.inbox q where q.id = ${id} and ${isOpenRow(but)}`.execute(db)
  return rows.length > 0
}

/** How many questions a being asked for what this wake is about, and how many of them are open. */
export async function countAsked(
  db: Db,
  wake: string,
): Promise<{ readonly all: number; readonly open: number }> {
  const { rows } = await sql<{ all: number; open: number }>`
    select count(*) as all, count(*) filter (
        where s.let_go is null and not exists (select from treeos.inbox r where ${isAnswer})) as open
    from treeos.inbox w join treeos.inbox s on s.about = ${aboutOf()}
    where w.id = ${wake} and s.caller = w.being and ${isAsked}`.execute(db)
  return rows[0] ?? { all: 0, open: 0 }
}

/** Whether the being that asked something was told that no answer comes. */
export async function wasLetGo(db: Db, question: string): Promise<boolean> {
  const { rows } = await sql`select from treeos.inbox where id = ${question} and let_go is not null`.execute(
    db,
  )
  return rows.length > 0
}

/** How many wakes a being gave itself for what this one is about. @param prefixes starts of the ids of such wakes */
export async function countOwnWakes(
  db: Db,
  being: BeingName,
  wake: string,
  prefixes: readonly string[],
): Promise<number> {
  const row = await db
    .selectFrom('inbox')
    .select(({ fn }) => fn.countAll<number>().as('own'))
    .where('about', '=', sql<string>`(select ${aboutOf()} from treeos.inbox w where w.id = ${wake})`)
    .where('being', '=', being)
    .where(({ or, eb }) => or(prefixes.map((prefix) => eb('id', 'like', `${prefix}%`))))
    .executeTakeFirstOrThrow()
  return row.own
}
