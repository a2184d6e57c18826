import { ASIDE_BOUNDS, type BeingName, type RecallAsked, type RecalledNotes } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import { decodeJson } from '../sql/stored-json.ts'
import type { ReadingBeing, SoughtVector } from './read-set-items.ts'

/** Characters of what is asked for that count. */
const ABOUT_CHARS_MAX = 4000

/** What was said to a being: by its wake, or by the one that it goes on from. Nothing for any other wake. */
export async function wordsHeard(db: Db, { being, wake }: ReadingBeing): Promise<string> {
  if (wake === undefined) return ''
  const { rows } = await sql<{ content: Buffer }>`
    select said.content from treeos.inbox woke join treeos.inbox said on said.id in (woke.id, woke.answers)
    where woke.id = ${wake.id} and woke.being = ${being} and said.being = ${being} and said.kind = 'summon'`.execute(
    db,
  )
  return rows.map(({ content }) => JSON.stringify(decodeJson(content))).join('\n')
}

/**
 * Lexemes of what is asked for that count, and notes that are ranked: first own ones, then those of makers,
 * of each the newest.
 */
const LEXEMES_MAX = 64
const RANKED_MAX = 1000

/** One search takes no longer, so that no moment waits for it. */
const SEARCH_MS = 1000

/**
 * Searches notes by their words: own ones first, then those of makers, of others, and from outside. A note
 * counts while the thing of its id is there, belongs to who sealed it, and holds a text. A search that fails,
 * or takes too long, finds none and says so.
 * @param sought searches by likeness, too; null: by words alone
 */
export async function searchNotes(
  db: Db,
  being: BeingName,
  asked: RecallAsked,
  sought: SoughtVector | null,
): Promise<RecalledNotes> {
  try {
    return await withinTime(db, async (tx) => found(await search(tx, being, asked, sought), asked.outside))
  } catch (error) {
    if (!isOfStatement(error)) throw error
    return { notes: [], more: 0, held: 0, failed: true }
  }
}

/**
 * Runs reads that may take so long. In a transaction that is under way it needs no second connection, and
 * leaves no trace in it.
 */
async function withinTime<T>(db: Db, read: (tx: Db) => Promise<T>): Promise<T> {
  const run = async (tx: Db) => {
    await sql`select set_config('statement_timeout', ${String(SEARCH_MS)}, true)`.execute(tx)
    return read(tx)
  }
  if (!db.isTransaction) return db.transaction().execute(run)
  await sql`savepoint search`.execute(db)
  try {
    return await run(db)
  } finally {
    await sql`rollback to savepoint search`.execute(db)
    await sql`release savepoint search`.execute(db)
  }
}

/**
 * The statement itself failed: it was cancelled, or met values that it cannot read. Any other error is of the
 * connection, and is tried again.
 */
const isOfStatement = (error: unknown): boolean => {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^(57014|42601|(22|54)...)$/.test(code)
}

interface RecallHit {
  readonly id: string
  readonly rank: number
  readonly score: number
  readonly own: number
  readonly held: number
}

async function search(
  db: Db,
  being: BeingName,
  { about, makers, places, outside }: RecallAsked,
  sought: SoughtVector | null,
): Promise<RecallHit[]> {
  const isAlike =
    sought === null
      ? sql`false`
      : sql`exists (select from unnest(s.vectors) v where v.model = ${sought.model})`
  const { rows } = await sql<RecallHit>`
    with asked as materialized (
      select string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', '|')::tsquery as words
      from (select lexeme from unnest(to_tsvector('english', ${about.slice(0, ABOUT_CHARS_MAX)}::text)) order by positions[1] limit ${LEXEMES_MAX}) first
    ), fits as materialized (
      select s.id, s.being, s.words, s.words @@ asked.words as by_words, s.vectors, p.state,
        case when s.being = ${being} then 0 when s.being = any(${[...makers]}::text[]) then 1 else 2 end as whose
      from asked cross join treeos.sealed_text s join treeos.projection p on p.key = 'matter:' || s.id
      where (s.being = ${being} or s.being = any(${[...makers]}::text[]) or p.place = any(${[...places]}::text[]))
        and p.place is not null and (s.words @@ asked.words or ${isAlike})
      order by whose, s.at desc limit ${RANKED_MAX}
    ), told as materialized (
      select f.*, treeos.told(convert_to(f.state, 'UTF8')) as row, ${likeness(sought)} as ness from fits f
    ), note as (
      select t.id, t.whose = 0 as own, t.row->'outside' = 'true' as outside,
        case when t.row->'outside' = 'true' then 3 else t.whose end as rank,
        round(1000 * (case when t.by_words then ts_rank(t.words, asked.words) else 0 end + coalesce(t.ness, 0)))::integer as score
      from asked cross join told t
      where t.row->>'owner' = t.being and t.row->'content'->>'text' like 'sealed:' || t.id || ':%'
        and (t.by_words or t.ness > ${LIKE_MIN}::double precision)
    ), counted as (
      select *, outside is not true or ${outside} as shown from note
    )
    select id, rank, score, (count(*) filter (where own and shown) over ())::integer as own,
      (count(*) filter (where own and not shown) over ())::integer as held
    from counted order by shown desc, rank, score desc, id collate "C" limit ${ASIDE_BOUNDS.recalledMax + 1}`.execute(
    db,
  )
  return rows
}

/** Two texts below this likeness have little to do with each other. */
const LIKE_MIN = 0.3

function found(rows: readonly RecallHit[], outside: boolean): RecalledNotes {
  const notes = rows
    .filter(({ rank }) => outside || rank < OUTSIDE_RANK)
    .slice(0, ASIDE_BOUNDS.recalledMax)
    .map(({ id, rank, score }) => ({ id, rank, score }))
  const { own = 0, held = 0 } = rows[0] ?? {}
  return { notes, more: Math.max(0, own - notes.filter(({ rank }) => rank === 0).length), held }
}

const OUTSIDE_RANK = 3

/** The cosine of two vectors; null where there are none to compare. */
function likeness(sought: SoughtVector | null) {
  if (sought === null) return sql`null::double precision`
  const vector = sql`${[...sought.vector]}::real[]`
  return sql`(
    select sum(a * b) / nullif(sqrt(sum(a * a)) * sqrt(sum(b * b)), 0)
    from unnest(f.vectors) v cross join unnest(v.vector::double precision[], ${vector}::double precision[]) as _(a, b)
    where v.model = ${sought.model} and array_length(v.vector, 1) = array_length(${vector}, 1))`
}
