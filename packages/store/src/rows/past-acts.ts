import {
  type BeingName,
  type FactHeader,
  type Json,
  PAST_BOUNDS,
  type PastActs,
  type PastFact,
  type ReelId,
  readPath,
} from '@treeos/core'
import { sql } from 'kysely'
import type { MomentRecord, OpenRecord } from '../ledger/records.ts'
import type { Db } from '../sql/database.ts'
import { decodeJson } from '../sql/stored-json.ts'

const { searchedMax, actsMax, factsMax, causedMax } = PAST_BOUNDS

interface FactRow {
  readonly hash: Buffer
  readonly header: Buffer
  readonly payload: Buffer | null
  /** the open record of its moment, beside the first of its facts */
  readonly opened: Buffer | null
  /** and how that ended */
  readonly ended: Buffer | null
  /** and whether it marked what it wrote as words from outside */
  readonly marked: boolean
}

interface ActCounts {
  /** acts of the being */
  readonly total: number
  /** acts that were found, of those that were searched */
  readonly linked: number
}

/**
 * Reads own past acts of a being, the newest first: the facts of each on beings, spaces, things and signals;
 * with `reels` also those of the moments that it woke. The wakes are the summon of the act, and the wakes by
 * change of the beings among `reels`.
 * @param reels only acts with a fact on one of these reels, or that spoke to a being among them, or woke a
 *   moment with such a fact; all acts for null
 */
export async function queryPast(
  db: Db,
  being: BeingName,
  reels: readonly ReelId[] | null,
): Promise<PastActs<PastFact>> {
  const own = `being:${being}`
  const face = sql`${reels ?? []}::text[]`
  const isHalf = reels !== null
  // Postgres inlines a condition on a constant, so each orientation pays only for its own part.
  const isLinked = isHalf
    ? sql`exists (select from treeos.fact f where f.moment = a.moment and f.reel <> ${own} and f.reel = any(${face}))
        or exists (select from treeos.inbox i where ${sentBy(being)}
          and ('being:' || i.being = any(${face})
            or exists (select from treeos.fact f where f.moment = i.claimed_by and f.reel <> ${own} and f.reel = any(${face}))))`
    : sql`true`
  const { rows } = await sql<ActCounts & (FactRow | { readonly hash: null })>`
    with searched as materialized (
      select moment, n, wake from treeos.moment_outcome a where being = ${being} and kind = 'act'
      order by n desc limit ${isHalf ? searchedMax : actsMax}
    ), linked as materialized (select a.* from searched a where ${isLinked}),
    shown as materialized (select * from linked order by n desc limit ${actsMax}),
    own as materialized (
      select * from (
        select a.n, a.moment, f.kind, f.reel, f.seq, f.hash, f.header, f.bytes as payload,
          row_number() over (partition by f.moment
            order by f.reel = any(${face}) and f.reel <> ${own} desc, f.kind = 'being:summoned' desc, f.reel collate "C", f.seq) as place
        from shown a join treeos.fact f on f.moment = a.moment
        where f.reel ~ '^(being|space|matter|world):' and f.kind !~ '^origin:'
      ) f where place <= ${factsMax}
    ), woken as (
      select a.n, i.claimed_by, i.cause from shown a join treeos.inbox i on ${isHalf ? sentBy(being) : sql`false`}
      union select a.n, i.claimed_by, i.cause from shown a cross join unnest(${face}) as r(reel)
        join treeos.inbox i on i.id = 'change/' || a.moment || '/' || substr(r.reel, length('being:') + 1)
        where starts_with(r.reel, 'being:') and i.being = substr(r.reel, length('being:') + 1)
    ), caused as (
      select * from (
        select w.n, f.moment, f.kind, f.reel, f.seq, f.hash, f.header, f.bytes as payload,
          row_number() over (partition by w.n order by f.reel = any(${face}) and f.reel <> ${own} desc, f.hash) as place
        from woken w join treeos.fact f on f.moment = w.claimed_by
        where w.cause in (select hash from own) and f.reel ~ '^(being|space|matter|world):' and f.kind !~ '^origin:'
          and f.hash not in (select hash from own)
      ) f where place <= ${causedMax}
    )
    select c.linked, c.total, f.hash, f.header, f.payload, case when f.turn = 1 then
        (select o.record from treeos.moment_open o where o.moment = f.moment) end as opened,
      case when f.turn = 1 then (select o.record from treeos.moment_outcome o where o.moment = f.moment) end as ended,
      f.turn = 1 and exists (select from treeos.fact m where m.moment = f.moment and m.kind = 'origin:outside') as marked
    from (select (select count(*) from linked)::integer as linked,
        (select count(*) from treeos.moment_outcome where being = ${being} and kind = 'act')::integer as total) c
      left join (
        select *, row_number() over (partition by moment) as turn
        from (select *, 0 as part from own union all select *, 1 from caused) both_parts
      ) f on true
    order by f.n desc, f.part, f.place`.execute(db)
  const [{ total, linked } = { total: 0, linked: 0 }] = rows
  const facts = rows.flatMap((row) => (row.hash === null ? [] : [row]))
  const unasked = isHalf ? Math.max(0, total - searchedMax) : 0
  return {
    facts: facts.map(factOf),
    earlier: Math.max(0, (isHalf ? linked : total) - actsMax),
    ...(unasked === 0 ? {} : { unasked }),
    ...(facts.some(isFromOutside) ? { outside: true } : {}),
  }
}

function factOf({ hash, header, payload }: FactRow): PastFact {
  const { reel, seq, kind, actor, at, cause, moment } = decodeJson<FactHeader>(header)
  return {
    ref: [reel, seq, hash.toString('hex')],
    kind,
    actor,
    at,
    cause,
    moment: moment ?? '',
    payload: payload === null ? null : decodeJson<Json>(payload),
  }
}

const isFromOutside = ({ opened, ended, marked, payload }: FactRow): boolean =>
  tellsOutside({
    open: opened === null ? null : decodeJson<OpenRecord>(opened),
    ended: ended === null ? null : decodeJson<MomentRecord>(ended),
    isMarked: marked,
    payload: payload === null ? null : decodeJson<Json>(payload),
  })

/**
 * Whether what a fact of the past tells may hold words from outside: its moment did, an effect brought some,
 * or it says so.
 */
export const tellsOutside = (of: {
  readonly open: Pick<OpenRecord, 'outside'> | null
  readonly ended: Pick<MomentRecord, 'effect'> | null
  /** the moment marked what it wrote */
  readonly isMarked: boolean
  readonly payload: Json
}): boolean =>
  of.open?.outside === true ||
  of.ended?.effect !== undefined ||
  of.isMarked ||
  readPath(of.payload, ['outside']) === true

/** The wake `i` that the summon of an act `a` sent. */
const sentBy = (being: BeingName) => sql`i.caller = ${being} and i.kind = 'summon'
  and (i.id = a.moment or a.wake like 'act/%' and i.id = substr(a.wake, length('act/') + 1))`
