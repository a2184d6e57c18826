import { ASIDE_BOUNDS, type BeingName, type RecallAsked, type Recalled } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import { decodeJson } from '../sql/stored-json.ts'
import type { Sought, Viewer } from './line.ts'

/** Characters of what is asked for that count. */
const ABOUT_CHARS_MAX = 4000

/** What was said to a being: by its wake, or by the one that it goes on from. Nothing for any other wake. */
export async function wordsHeard(db: Db, { being, wake }: Viewer): Promise<string> {
  if (wake === undefined) return ''
  const { rows } = await sql<{ content: Buffer }>`
    select said.content from treeos.inbox woke join treeos.inbox said on said.id in (woke.id, woke.answers)
    where woke.id = ${wake.id} and woke.being = ${being} and said.being = ${being} and said.kind = 'summon'`.execute(
    db,
  )
  return rows.map(({ content }) => JSON.stringify(decodeJson(content))).join('\n')
}

/**
 * Searches notes by their words: own ones first, then those of makers, of others, and from outside. A note counts while the thing of its id is
 * there, belongs to who sealed it, and holds a text.
 * @param sought searches by likeness, too; null: by words alone
 */
export async function searchNotes(
  db: Db,
  being: BeingName,
  { about, makers, places, outside }: RecallAsked,
  sought: Sought | null,
): Promise<Recalled> {
  const { rows } = await sql<{ id: string; rank: number; score: number; own: number; held: number }>`
    with asked as (
      select replace(plainto_tsquery('english', ${about.slice(0, ABOUT_CHARS_MAX)}::text)::text, '&', '|')::tsquery as words
    ), note as (
      select s.id, s.being = ${being} as own, p.state::jsonb->'outside' = 'true' as outside,
        case when p.state::jsonb->'outside' = 'true' then 3 when s.being = ${being} then 0
          when s.being = any(${[...makers]}::text[]) then 1 else 2 end as rank,
        round(1000 * (ts_rank_cd(s.words, asked.words) + coalesce(like_.ness, 0)))::integer as score
      from asked cross join treeos.sealed_text s join treeos.projection p on p.key = 'matter:' || s.id
        cross join lateral (select ${likeness(sought)} as ness) as like_
      where (s.being = ${being} or s.being = any(${[...makers]}::text[]) or p.place = any(${[...places]}::text[]))
        and p.place is not null and p.state::jsonb->>'owner' = s.being
        and p.state::jsonb->'content'->>'text' like 'sealed:' || s.id || ':%'
        and (s.words @@ asked.words or like_.ness > ${LIKE_MIN}::double precision)
    ), counted as (
      select *, outside is not true or ${outside} as shown from note
    )
    select id, rank, score, (count(*) filter (where own and shown) over ())::integer as own,
      (count(*) filter (where own and not shown) over ())::integer as held
    from counted order by shown desc, rank, score desc, id collate "C" limit ${ASIDE_BOUNDS.recalledMax + 1}`.execute(
    db,
  )
  return found(rows, outside)
}

/** Two texts below this likeness have little to do with each other. */
const LIKE_MIN = 0.3

function found(
  rows: readonly { id: string; rank: number; score: number; own: number; held: number }[],
  outside: boolean,
): Recalled {
  const notes = rows
    .filter(({ rank }) => outside || rank < OUTSIDE_RANK)
    .slice(0, ASIDE_BOUNDS.recalledMax)
    .map(({ id, rank, score }) => ({ id, rank, score }))
  const { own = 0, held = 0 } = rows[0] ?? {}
  return { notes, more: Math.max(0, own - notes.filter(({ rank }) => rank === 0).length), held }
}

const OUTSIDE_RANK = 3

/** The cosine of two vectors; null where there are none to compare. */
function likeness(sought: Sought | null) {
  if (sought === null) return sql`null::double precision`
  const vector = sql`${[...sought.vector]}::real[]`
  return sql`(
    select case when s.model = ${sought.model} and array_length(s.vector, 1) = array_length(${vector}, 1) then
      (select sum(a * b) / nullif(sqrt(sum(a * a)) * sqrt(sum(b * b)), 0) from unnest(s.vector::double precision[], ${vector}::double precision[]) as _(a, b))
    end)`
}
