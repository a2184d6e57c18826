import {
  type BeingName,
  type FactHeader,
  type Json,
  type MomentId,
  type ReelId,
  SPEECH_KIND,
  sealedId,
} from '@treeos/core'
import { sql } from 'kysely'
import { jsonIn } from '../moments/basis.ts'
import type { Db } from '../sql/database.ts'
import { decodeJson } from '../sql/stored-json.ts'
import { openSealed } from './sealed-texts.ts'

/** A fact that says a text. */
export interface SaidFact {
  readonly reel: ReelId
  readonly seq: number
  readonly hash: string
  readonly header: FactHeader
  /** the sealed text that it holds; null where it says the text openly */
  readonly sealed: string | null
  /** its moment held words from outside */
  readonly outside: boolean
}

/** Facts that are compared for one page, and most that a page names. */
const COMPARED_MAX = 1000
const FOUND_MAX = 50

/** Facts that say a text, the newest first. */
export interface SaidFacts {
  readonly facts: readonly SaidFact[]
  /** the fact after which the next page begins; null after the last page */
  readonly next: FactName | null
}

/** One fact, as people name it. */
export interface FactName {
  readonly reel: ReelId
  readonly seq: number
}

interface TextFactRow extends FactName {
  readonly hash: Buffer
  readonly header: Buffer
  readonly bytes: Buffer
  readonly outside: boolean
  /** id of the sealed text that may be the one; null where the payload says the text openly */
  readonly id: string | null
}

/**
 * The newest facts that say a text, those whose text is sealed among them: of notes, and of calls that wait
 * for a yes. It reads all facts, so it is for people.
 * @param text letters of any case where it is sealed, else as it was said
 * @param before only facts that are older than this one
 */
export async function listFactsSaying(
  db: Db,
  text: string,
  before: FactName | null = null,
): Promise<SaidFacts> {
  const isLike = sql`(s.words @@ plainto_tsquery('english', ${text}) or numnode(plainto_tsquery('english', ${text})) = 0)`
  const { rows } = await sql<TextFactRow>`
    with named as (
      select f.reel, f.seq, s.id from treeos.sealed_text s
        join treeos.fact f on f.reel = 'matter:' || s.id and f.kind in ('matter:created', 'matter:written') where ${isLike}
      union all
      select f.reel, f.seq, s.id from treeos.sealed_text s
        join treeos.fact f on f.reel = 'approval:' || substr(s.wake, length('approved/') + 1) and f.kind in ('approval:asked', 'approval:given')
        where s.wake like 'approved/%' and ${isLike}
      union all
      select f.reel, f.seq, null from treeos.fact f
        where position(${Buffer.from(JSON.stringify(text).slice(1, -1))}::bytea in f.bytes) > 0
    ), dated as (
      select n.*, f.hash, f.header, f.bytes, f.moment, (treeos.json_of(f.header)->>'at')::numeric as at
      from named n join treeos.fact f on f.reel = n.reel and f.seq = n.seq and f.bytes is not null
    )
    select d.reel, d.seq, d.id, d.hash, d.header, d.bytes,
      coalesce((select treeos.json_of(o.record)->'outside' = 'true' from treeos.moment_open o where o.moment = d.moment), false) as outside
    from dated d
    where ${before === null ? sql`true` : sql`(d.at, d.hash) < (select (treeos.json_of(f.header)->>'at')::numeric, f.hash from treeos.fact f where f.reel = ${before.reel} and f.seq = ${before.seq})`}
    order by d.at desc, d.hash desc limit ${COMPARED_MAX}`.execute(db)
  const facts = await saying(db, rows, text.toLowerCase())
  const last =
    facts.length > FOUND_MAX ? facts[FOUND_MAX - 1] : rows.length < COMPARED_MAX ? undefined : rows.at(-1)
  return {
    facts: facts.slice(0, FOUND_MAX),
    next: last === undefined ? null : { reel: last.reel, seq: last.seq },
  }
}

/** Those of the facts that say it: a sealed text is opened and compared. */
async function saying(db: Db, lines: readonly TextFactRow[], wanted: string): Promise<SaidFact[]> {
  const held = lines.map((line) => (line.id === null ? null : sealedIn(jsonIn(line.bytes), line.id)))
  const opened = await openSealed(
    db,
    held.flatMap((sealed) => sealed ?? []),
  )
  return lines.flatMap((line, i) => {
    const sealed = held[i] ?? null
    const isSaid =
      line.id === null || (sealed !== null && opened.get(sealed)?.toLowerCase().includes(wanted) === true)
    return isSaid ? [saidFact(line, sealed)] : []
  })
}

const saidFact = ({ reel, seq, hash, header, outside }: TextFactRow, sealed: string | null): SaidFact => ({
  reel,
  seq,
  hash: hash.toString('hex'),
  header: decodeJson(header),
  sealed,
  outside,
})

/** The sealed text of this id in a value; null where there is none. */
function sealedIn(value: Json, id: string): string | null {
  if (typeof value === 'string') return sealedId(value) === id ? value : null
  if (typeof value !== 'object' || value === null) return null
  for (const one of Object.values(value)) {
    const found = sealedIn(one ?? null, id)
    if (found !== null) return found
  }
  return null
}

/** Most moments that are named for one fact. */
const SHOWN_MAX = 1000

/** A moment that was shown a fact. */
export interface SawFact {
  readonly moment: MomentId
  readonly being: BeingName
  readonly n: number
  /** ms since 1970 UTC */
  readonly at: number
}

/**
 * Moments that were shown what a fact says, oldest first: a note, where it stands in the face; what was said,
 * where it woke the moment or was among the words of its thread; anything else, where its reel was read.
 */
export async function listMomentsShown(
  db: Db,
  { reel, seq, hash, header, sealed }: SaidFact,
): Promise<SawFact[]> {
  const read = sql`treeos.json_of(o.basis)->'heads'->${reel}`
  const asHead = sql`case when jsonb_typeof(${read}) = 'number' then (${read})::numeric >= ${seq} end`
  const cited = sql`position(${Buffer.from(hash)}::bytea in o.record || o.basis) > 0`
  const shown =
    sealed !== null
      ? sql`exists (select from treeos.blob b where b.digest = o.face and position(${Buffer.from(sealed)}::bytea in b.bytes) > 0)`
      : header.kind === SPEECH_KIND
        ? sql`(${cited} or exists (select from treeos.inbox i where i.id = o.wake and i.cause = ${Buffer.from(hash, 'hex')}::bytea))`
        : asHead
  const { rows } = await sql<SawFact>`
    select o.moment, o.being, o.n, o.opened_at as at from treeos.moment_open o
    where ${shown} and o.moment is distinct from ${header.moment}
    order by o.opened_at, o.being, o.n limit ${SHOWN_MAX}`.execute(db)
  return rows
}
