import {
  type BeingName,
  type FactHeader,
  type MomentId,
  type ReelId,
  SPEECH_KIND,
  sealedId,
} from '@treeos/core'
import { sql } from 'kysely'
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

/** Most notes that are opened for one question, and most facts that one answer names. */
const OPENED_MAX = 1000
const FOUND_MAX = 50

interface Line {
  readonly reel: ReelId
  readonly seq: number
  readonly hash: Buffer
  readonly header: Buffer
  readonly bytes: Buffer
  readonly outside: boolean
}

const FACT_COLUMNS = sql`f.reel, f.seq, f.hash, f.header, p.bytes,
  coalesce((select convert_from(o.record, 'UTF8')::jsonb->'outside' = 'true' from treeos.moment_open o where o.moment = f.moment), false) as outside`

/**
 * The newest facts that say a text, those whose text is sealed among them. It reads all facts, so it is for people.
 * @param text letters of any case where it is sealed, else as it was said
 */
export async function listFactsSaying(db: Db, text: string): Promise<SaidFact[]> {
  const { rows: notes } = await sql<Line>`
    select ${FACT_COLUMNS}
    from treeos.sealed_text s join treeos.fact f on f.reel = 'matter:' || s.id and f.kind = 'matter:written'
      join treeos.payload p on p.reel = f.reel and p.seq = f.seq
    where s.words @@ plainto_tsquery('english', ${text}) or numnode(plainto_tsquery('english', ${text})) = 0
    limit ${OPENED_MAX}`.execute(db)
  const sealed = notes.flatMap((line) => {
    const one = sealedIn(decodeJson(line.bytes))
    return one === null ? [] : [{ line, one }]
  })
  const opened = await openSealed(
    db,
    sealed.map(({ one }) => one),
  )
  const wanted = text.toLowerCase()
  const fitting = sealed.filter(({ one }) => opened.get(one)?.toLowerCase().includes(wanted) === true)
  const { rows: open } = await sql<Line>`
    select ${FACT_COLUMNS} from treeos.payload p join treeos.fact f on f.reel = p.reel and f.seq = p.seq
    where position(${Buffer.from(JSON.stringify(text).slice(1, -1))}::bytea in p.bytes) > 0 limit ${OPENED_MAX}`.execute(
    db,
  )
  return [...fitting.map(({ line, one }) => saidFact(line, one)), ...open.map((line) => saidFact(line, null))]
    .sort((a, b) => b.header.at - a.header.at || (a.hash < b.hash ? -1 : 1))
    .slice(0, FOUND_MAX)
}

const saidFact = ({ hash, header, bytes: _, ...line }: Line, sealed: string | null): SaidFact => ({
  ...line,
  hash: hash.toString('hex'),
  header: decodeJson(header),
  sealed,
})

function sealedIn(value: unknown): string | null {
  if (typeof value === 'string') return sealedId(value) === null ? null : value
  if (typeof value !== 'object' || value === null) return null
  for (const one of Object.values(value)) {
    const found = sealedIn(one)
    if (found !== null) return found
  }
  return null
}

/** A moment that was shown a fact. */
export interface SawFact {
  readonly moment: MomentId
  readonly being: BeingName
  readonly n: number
  /** ms since 1970 UTC */
  readonly at: number
}

/**
 * Moments that were shown what a fact says, oldest first: a note, where it stands in the face; what was said, where it woke the moment or was among
 * the words of its thread; anything else, where its reel was read.
 */
export async function listMomentsShown(
  db: Db,
  { reel, seq, hash, header, sealed }: SaidFact,
): Promise<SawFact[]> {
  const asHead = sql`(convert_from(o.basis, 'UTF8')::jsonb->'heads'->>${reel})::bigint >= ${seq}`
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
    order by o.opened_at, o.being, o.n limit ${OPENED_MAX}`.execute(db)
  return rows
}
