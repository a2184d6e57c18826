import {
  asJson,
  type BeingName,
  type Digest,
  type Json,
  type JsonObject,
  type ReelId,
  readPath,
} from '@treeos/core'
import { type Basis, type Db, readBases, readJudged } from '@treeos/store'
import { sql } from 'kysely'
import { hexOf, jsonOf } from './stored-json.ts'

const PAGE = 500
const MOMENTS_PAGE = 100 // a basis names some thousand reels at most

/** The moments to export: of one being, or of all. */
export interface ExportScope {
  readonly being: BeingName | null
  /** numbers of the first and the last moment */
  readonly since: number
  readonly until: number
}

interface HeadRow {
  readonly reel: ReelId
  readonly seq: number
  readonly hash: Buffer
}

/** The ends of chains, of facts and of moments, by reel. */
export type ChainEnds = ReadonlyMap<ReelId, { readonly seq: number; readonly hash: Digest }>

/** Where all chains end in the database. The moments of a being that has none end with number 0. */
export async function readEnds(tx: Db): Promise<ChainEnds> {
  const ends = new Map<ReelId, { seq: number; hash: Digest }>()
  for (let last = ''; ; ) {
    const { rows } = await sql<HeadRow>`
      select reel, seq, hash from treeos.head
      where seq > 0 and reel collate "C" > ${last} order by reel collate "C" limit ${PAGE}`.execute(tx)
    for (const { reel, seq, hash } of rows) ends.set(reel, { seq, hash: hexOf(hash) })
    if (rows.length < PAGE) return ends
    last = rows.at(-1)?.reel ?? ''
  }
}

/** The hash of a moment, and of the one before it; null when there is none. */
export async function findRecordHash(
  tx: Db,
  being: BeingName,
  n: number,
): Promise<{ hash: Digest; prev: Digest } | null> {
  const found = await tx
    .selectFrom('moment_outcome')
    .select(['hash', 'prev'])
    .where('being', '=', being)
    .where('n', '=', n)
    .executeTakeFirst()
  return found === undefined ? null : { hash: hexOf(found.hash), prev: hexOf(found.prev) }
}

interface ExportedFactRow extends HeadRow {
  readonly prev: Buffer
  readonly header: Buffer
  readonly salt: Buffer | null
  readonly bytes: Buffer | null
}

const factOf = ({ reel, seq, hash, prev, header, salt, bytes }: ExportedFactRow): JsonObject => ({
  reel,
  seq,
  hash: hexOf(hash),
  prev: hexOf(prev),
  header: jsonOf(header),
  salt: salt === null ? null : hexOf(salt),
  payload: bytes === null ? null : jsonOf(bytes),
})

const FACT = sql`f.reel, f.seq, f.hash, f.prev, f.header, f.salt, f.bytes from treeos.fact f`

/** Facts by reel and seq. @param reel only of this one; null for all */
export async function* readFacts(tx: Db, reel: ReelId | null): AsyncGenerator<JsonObject> {
  const isAsked = reel === null ? sql`true` : sql`f.reel = ${reel}`
  for (let last: Pick<HeadRow, 'reel' | 'seq'> = { reel: '', seq: 0 }; ; ) {
    const { rows } = await sql<ExportedFactRow>`
      select ${FACT} where ${isAsked} and (f.reel, f.seq) > (${last.reel}, ${last.seq})
      order by f.reel, f.seq limit ${PAGE}`.execute(tx)
    for (const row of rows) yield factOf(row)
    const end = rows.at(-1)
    if (end === undefined || rows.length < PAGE) return
    last = end
  }
}

/** The facts that say that other facts were erased, which have these hashes. */
export async function* readTombstones(tx: Db, hashes: readonly Digest[]): AsyncGenerator<JsonObject> {
  for (let at = 0; at < hashes.length; at += PAGE) {
    const page = hashes.slice(at, at + PAGE).map((hash) => Buffer.from(hash, 'hex'))
    const { rows } = await sql<ExportedFactRow>`
      select ${FACT} join treeos.fact gone on gone.reel = f.reel and gone.hash = any(${page}::bytea[])
      where f.kind = 'fact:erased' and treeos.json_of(f.bytes)->>'hash' = encode(gone.hash, 'hex')
      order by f.reel, f.seq`.execute(tx)
    for (const row of rows) yield factOf(row)
  }
}

/**
 * Whether something was erased that the log did not hold yet when its checkpoint was signed.
 * @param size of the checkpoint
 */
export async function isErasedAfter(tx: Db, size: number): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`
    select exists (
      select from treeos.fact f left join treeos.log_entry l on l.reel = f.reel and l.seq = f.seq and l.index < ${size}
      where f.kind in ('fact:erased', 'moment:erased') and l.index is null) as is`.execute(tx)
  return rows[0]?.is === true
}

/** The facts of approvals up to the last yes, by reel and seq. */
export async function* readYes(tx: Db, reels: readonly ReelId[]): AsyncGenerator<JsonObject> {
  for (let at = 0; at < reels.length; at += PAGE) {
    const page = reels.slice(at, at + PAGE)
    const { rows } = await sql<ExportedFactRow>`
      select ${FACT} where f.reel = any(${page}) and f.seq <= (
        select max(yes.seq) from treeos.fact yes where yes.reel = f.reel and yes.kind = 'approval:given')
      order by f.reel, f.seq`.execute(tx)
    for (const row of rows) yield factOf(row)
  }
}

/** Facts by their hashes, by reel and seq. */
export async function* readFactsByHash(tx: Db, hashes: readonly Digest[]): AsyncGenerator<JsonObject> {
  for (let at = 0; at < hashes.length; at += PAGE) {
    const page = hashes.slice(at, at + PAGE).map((hash) => Buffer.from(hash, 'hex'))
    const { rows } = await sql<ExportedFactRow>`select ${FACT} where f.hash = any(${page}::bytea[])`.execute(
      tx,
    )
    for (const row of rows) yield factOf(row)
  }
}

interface MomentRow {
  readonly moment: string
  readonly being: BeingName
  readonly n: number
  readonly prev: Buffer
  readonly hash: Buffer
  readonly record: Buffer
  readonly open: Buffer | null
  readonly salt: Buffer | null
  readonly bytes: Buffer | null
  readonly effect_salt: Buffer | null
  readonly request: Buffer | null
  readonly result: Buffer | null
}

/** A moment as a line of a bundle. */
export type MomentLine = JsonObject &
  Readonly<Record<'record' | 'open' | 'basis' | 'basisSalt' | 'judged' | 'noted', Json>>

/**
 * The decision of a moment. A moment that a younger life closed may have one that its record does not hold,
 * so nothing shows it.
 */
function decisionOf({ record, salt, bytes }: MomentRow): { salt: Json; decision: Json } {
  const isRecorded = readPath(jsonOf(record), ['decision']) !== null
  if (!isRecorded || salt === null || bytes === null) return { salt: null, decision: null }
  return { salt: hexOf(salt), decision: jsonOf(bytes) }
}

/**
 * What a moment asked of the outside, unless a younger life closed it: then its record does not hold that
 * either.
 */
function effectOf({ record, effect_salt: salt, request, result }: MomentRow): Json {
  const isRecorded = readPath(jsonOf(record), ['effect']) !== undefined
  if (!isRecorded || salt === null || request === null) return null
  return {
    salt: hexOf(salt),
    request: jsonOf(request),
    result: result === null ? null : jsonOf(result),
  }
}

/** What a moment read: a moment that was never opened has no salt, and fits nothing. */
const basisOf = (basis: Basis | undefined) => ({
  basis: asJson(basis?.heads ?? []),
  basisSalt: basis?.salt ?? null,
  noted: asJson(basis?.noted ?? null),
})

/** Adds to moments what they read, and the heads that they cite. */
async function momentsOf(tx: Db, rows: readonly MomentRow[]): Promise<MomentLine[]> {
  const moments = rows.map(({ moment }) => moment)
  const [bases, judged] = await Promise.all([readBases(tx, moments), readJudged(tx, moments)])
  return rows.map((row) => ({
    being: row.being,
    n: row.n,
    prev: hexOf(row.prev),
    hash: hexOf(row.hash),
    record: jsonOf(row.record),
    open: row.open === null ? null : jsonOf(row.open),
    ...basisOf(bases.get(row.moment)),
    judged: (judged.get(row.moment) ?? null) as unknown as Json,
    ...decisionOf(row),
    effect: effectOf(row),
  }))
}

const MOMENT = sql`o.moment, o.being, o.n, o.prev, o.hash, o.record, i.record as open, d.salt, d.bytes,
    e.salt as effect_salt, e.request, e.result
  from treeos.moment_outcome o
  left join treeos.moment_open i on i.moment = o.moment
  left join treeos.moment_decision d on d.moment = o.moment
  left join treeos.moment_effect e on e.moment = o.moment`

/** Finished moments by being and number. */
export async function* readMoments(tx: Db, { being, since, until }: ExportScope): AsyncGenerator<MomentLine> {
  const isAsked = being === null ? sql`true` : sql`o.being = ${being} and o.n between ${since} and ${until}`
  for (let last: Pick<MomentRow, 'being' | 'n'> = { being: '', n: 0 }; ; ) {
    const { rows } = await sql<MomentRow>`
      select ${MOMENT} where ${isAsked} and (o.being, o.n) > (${last.being}, ${last.n})
      order by o.being, o.n limit ${MOMENTS_PAGE}`.execute(tx)
    yield* await momentsOf(tx, rows)
    const end = rows.at(-1)
    if (end === undefined || rows.length < MOMENTS_PAGE) return
    last = end
  }
}

/** What finished moments recorded, opened with and noted, without the heads that they cite. */
export async function* readRecords(
  tx: Db,
  { being, since, until }: ExportScope,
): AsyncGenerator<JsonObject & Pick<MomentLine, 'record' | 'open' | 'noted'>> {
  const isAsked = being === null ? sql`true` : sql`o.being = ${being} and o.n between ${since} and ${until}`
  for (let last: Pick<MomentRow, 'being' | 'n'> = { being: '', n: 0 }; ; ) {
    const { rows } = await sql<
      Pick<MomentRow, 'being' | 'n' | 'record' | 'open'> & { readonly basis: Buffer | null }
    >`
      select o.being, o.n, o.record, i.record as open, i.basis
      from treeos.moment_outcome o left join treeos.moment_open i on i.moment = o.moment
      where ${isAsked} and (o.being, o.n) > (${last.being}, ${last.n}) order by o.being, o.n limit ${PAGE}`.execute(
      tx,
    )
    for (const { being, n, record, open, basis } of rows)
      yield {
        being,
        n,
        record: jsonOf(record),
        open: open === null ? null : jsonOf(open),
        noted: basis === null ? null : (readPath(jsonOf(basis), ['noted']) ?? null),
      }
    const end = rows.at(-1)
    if (end === undefined || rows.length < PAGE) return
    last = end
  }
}

/** One finished moment; null when there is none. */
export async function findMomentLine(tx: Db, moment: string): Promise<MomentLine | null> {
  const { rows } = await sql<MomentRow>`select ${MOMENT} where o.moment = ${moment}`.execute(tx)
  return (await momentsOf(tx, rows))[0] ?? null
}

/**
 * Kept contents by their digests. One that is not kept is left out, and the check of the bundle finds that.
 */
export async function* readContents(tx: Db, digests: readonly Digest[]): AsyncGenerator<JsonObject> {
  for (let at = 0; at < digests.length; at += PAGE) {
    const rows = await tx
      .selectFrom('blob')
      .selectAll()
      .where('digest', 'in', digests.slice(at, at + PAGE))
      .orderBy('digest')
      .execute()
    for (const { digest, bytes } of rows) yield { digest, content: jsonOf(bytes) }
  }
}
