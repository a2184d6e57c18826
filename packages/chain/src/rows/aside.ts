import {
  ASIDE_BOUNDS,
  type Aside,
  type BeingName,
  type CitedFact,
  fromJson,
  type Json,
  type OpenThread,
  type RoleName,
  type WaitingWake,
} from '@treeos/core'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import { decodeJson } from '../sql/stored-json.ts'
import type { Line, Viewer } from './line.ts'

/** Tables that are no reels, and single facts, that a look may ask for. Few looks ask, so each part is queried only then. */
export type AsidePart = 'said' | 'did' | 'waiting' | 'threads'

/** What a look asks for beside rows. */
export interface AsideAsked {
  readonly asides: ReadonlySet<AsidePart>
  /** beings whose last role is asked for */
  readonly wore: ReadonlySet<BeingName>
}

/** What was read beside rows, for the parts that were asked for. */
export interface FetchedAside {
  readonly said: { readonly facts: readonly CitedFact[]; readonly earlier: number }
  readonly did: readonly CitedFact[]
  readonly wore: Readonly<Record<BeingName, RoleName>>
  readonly waiting: NonNullable<Aside['waiting']>
  readonly threads: NonNullable<Aside['threads']>
}

/** The queries of the parts that a read set asks for; they have the columns of a `Line`. */
export function asideQueries({ being, wake }: Viewer, { asides, wore }: AsideAsked): RawBuilder<unknown>[] {
  const id = wake?.id ?? ''
  const queries: RawBuilder<unknown>[] = []
  // Leaves out messages to the being that came after its wake. Each of them opens its own moment.
  if (asides.has('said') && wake !== undefined)
    queries.push(sql`
    (select 'said', f.kind || ' ' || f.reel, convert_from(p.bytes, 'UTF8'), f.seq, f.hash, i.total
      from (select cause, age, count(*) over () as total from treeos.inbox
          where root = ${wake.root} and kind = 'summon' and cause is not null and id <> ${id}
            and (caller = ${being} or being = ${being} and age < (select age from treeos.inbox where id = ${id}))
          order by age desc limit ${ASIDE_BOUNDS.saidMax}) i
        join treeos.fact f on f.hash = i.cause
        left join treeos.payload p on p.reel = f.reel and p.seq = f.seq
      order by i.age)`)
  if (asides.has('did'))
    queries.push(sql`
    (select 'did', f.kind || ' ' || f.reel, convert_from(p.bytes, 'UTF8'), f.seq, f.hash, null
      from treeos.fact f left join treeos.payload p on p.reel = f.reel and p.seq = f.seq
      where f.moment = (select moment from treeos.moment_outcome where being = ${being} and kind = 'act'
        order by n desc limit 1)
      order by f.reel collate "C", f.seq limit ${ASIDE_BOUNDS.didMax})`)
  if (wore.size > 0)
    queries.push(sql`
    select 'wore', b.being, o.primary_role, null, null, null
      from unnest(${[...wore]}::text[]) as b(being)
        cross join lateral (select primary_role from treeos.moment_outcome m
          where m.being = b.being and m.kind = 'act' order by m.n desc limit 1) o`)
  if (asides.has('waiting'))
    queries.push(sql`
    (select 'waiting', id, jsonb_build_object('id', id, 'kind', kind, 'from', caller, 'thread', root,
        'at', (extract(epoch from at) * 1000)::bigint)::text, count(*) over (), null, null
      from treeos.inbox where being = ${being} and closed_by is null and id <> ${id}
      order by priority, age limit ${ASIDE_BOUNDS.wakesMax})`)
  if (asides.has('threads'))
    queries.push(sql`
    (select 'thread', root, jsonb_build_object('thread', root, 'open', count(distinct id), 'with',
        coalesce(jsonb_agg(distinct name) filter (where name <> ${being}), '[]'))::text, count(*) over (), null, null
      from treeos.inbox, lateral (values (being), (caller)) as party(name)
      where closed_by is null and (being = ${being} or caller = ${being})
      group by root order by max(age) desc limit ${ASIDE_BOUNDS.threadsMax})`)
  return queries
}

export function asideOf(lines: readonly Line[]): FetchedAside {
  const of = (what: Line['what']) => lines.filter((line) => line.what === what)
  const said = of('said')
  const waiting = of('waiting')
  const threads = of('thread')
  return {
    said: { facts: said.map(citedFact), earlier: beyond(said, said[0]?.state_seq) },
    did: of('did').map(citedFact),
    wore: Object.fromEntries(of('wore').flatMap(({ key, text }) => (text === null ? [] : [[key, text]]))),
    waiting: {
      wakes: waiting.map(({ text }) => fromJson<WaitingWake>(parse(text))),
      more: beyond(waiting, waiting[0]?.number),
    },
    threads: {
      threads: threads.map(({ text }) => fromJson<OpenThread>(parse(text))),
      more: beyond(threads, threads[0]?.number),
    },
  }
}

const parse = (text: string | null): Json => (text === null ? null : decodeJson<Json>(text))

const beyond = (lines: readonly Line[], total: number | null | undefined): number =>
  Math.max(0, (total ?? 0) - lines.length)

function citedFact({ key, text, number, hash }: Line): CitedFact {
  const space = key.indexOf(' ')
  return {
    kind: key.slice(0, space),
    ref: [key.slice(space + 1), number ?? 0, hash?.toString('hex') ?? ''],
    payload: parse(text),
  }
}

/** Reads one part by itself, for a look that asks for what was not predicted. */
export async function queryAside(db: Db, viewer: Viewer, asked: AsideAsked): Promise<FetchedAside> {
  const queries = asideQueries(viewer, asked)
  if (queries.length === 0) return asideOf([])
  const { rows } = await sql<Line>`
    select null::text as what, null::text as key, null::text as text, null::bigint as number, null::bytea as hash,
      null::bigint as state_seq where false
    union all ${sql.join(queries, sql` union all `)}`.execute(db)
  return asideOf(rows)
}
