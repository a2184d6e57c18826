import type { Digest, Fact, FactRef, MomentId, ReelId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import { decodeJson } from '../sql/stored-json.ts'

/** Facts of one reel after `seq`, in order. */
export async function listFactsAfter(db: Db, reel: ReelId, seq: number, limit: number): Promise<Fact[]> {
  const rows = await db
    .selectFrom('fact')
    .select(['header', 'hash', 'bytes'])
    .where('reel', '=', reel)
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(limit)
    .execute()
  return rows.map(factOf)
}

/**
 * The newest facts of one reel whose payload holds a text, newest first. It reads the whole reel, so it is
 * for people, not for moments.
 * @param text as it stands in canonical JSON, with its quotes
 */
export async function listFactsMentioning(
  db: Db,
  reel: ReelId,
  { kinds, text, last }: { readonly kinds: readonly string[]; readonly text: string; readonly last: number },
): Promise<Fact[]> {
  const { rows } = await sql<StoredFact>`
    select f.header, f.hash, f.bytes
    from treeos.fact f
    where f.reel = ${reel} and f.kind = any(${[...kinds]}::text[]) and position(${Buffer.from(text, 'utf8')}::bytea in f.bytes) > 0
    order by f.seq desc
    limit ${last}`.execute(db)
  return rows.map(factOf)
}

/** The facts of some kinds on one reel, in order. It looks through the whole reel. */
export async function listKindsOnReel(db: Db, reel: ReelId, kinds: readonly string[]): Promise<Fact[]> {
  const rows = await db
    .selectFrom('fact')
    .select(['header', 'hash', 'bytes'])
    .where('reel', '=', reel)
    .where('kind', 'in', kinds)
    .orderBy('seq')
    .execute()
  return rows.map(factOf)
}

/**
 * Facts of these kinds, oldest first. It looks at all facts, so it is for people, not for moments.
 * @param since ms since 1970 UTC: from, and before `until`
 */
export async function listFactsOfKinds(
  db: Db,
  {
    kinds,
    since = 0,
    until = Number.MAX_SAFE_INTEGER,
  }: {
    readonly kinds: readonly string[]
    readonly since?: number | undefined
    readonly until?: number | undefined
  },
): Promise<Fact[]> {
  const { rows } = await sql<StoredFact>`
    select f.header, f.hash, f.bytes
    from treeos.fact f cross join lateral (select (treeos.told(f.header)->>'at')::bigint as at offset 0) as told
    where f.kind = any(${[...kinds]}::text[]) and told.at >= ${since} and told.at < ${until}
    order by told.at, f.reel collate "C", f.seq`.execute(db)
  return rows.map(factOf)
}

/**
 * Facts by their reels and numbers, in that order.
 * @param kinds only those of these kinds; all when left out
 */
export async function listFactsAt(
  db: Db,
  refs: readonly Pick<FactRef, 'reel' | 'seq'>[],
  kinds: readonly string[] | null = null,
): Promise<Fact[]> {
  if (refs.length === 0) return []
  const { rows } = await sql<StoredFact>`
    select f.header, f.hash, f.bytes
    from unnest(${refs.map(({ reel }) => reel)}::text[], ${refs.map(({ seq }) => seq)}::bigint[])
      with ordinality as wanted (reel, seq, place)
    join treeos.fact f on f.reel = wanted.reel and f.seq = wanted.seq
      and (${kinds === null} or f.kind = any(${kinds ?? []}::text[]))
    order by place`.execute(db)
  return rows.map(factOf)
}

/** Reads facts by their hashes. The map has no entry for a hash that no fact has. */
export async function factsByHash(db: Db, hashes: readonly Digest[]): Promise<Map<Digest, Fact>> {
  if (hashes.length === 0) return new Map()
  const { rows } = await sql<StoredFact>`
    select f.header, f.hash, f.bytes
    from treeos.fact f
    where f.hash = any(${hashes.map((hash) => Buffer.from(hash, 'hex'))}::bytea[])`.execute(db)
  return new Map(rows.map((row) => [row.hash.toString('hex'), factOf(row)]))
}

/** The facts of one moment's act, by reel and seq. */
export async function listFactsOfMoment(db: Db, moment: MomentId): Promise<FactRef[]> {
  const rows = await db
    .selectFrom('fact')
    .select(['reel', 'seq', 'hash', 'kind'])
    .where('moment', '=', moment)
    .orderBy(sql`reel collate "C"`)
    .orderBy('seq')
    .execute()
  return rows.map((row) => ({ ...row, hash: row.hash.toString('hex') }))
}

/** All reels with a fact, sorted. Leaves out the heads of moment records (`moments:…`). */
export async function listReels(db: Db): Promise<ReelId[]> {
  const rows = await db
    .selectFrom('head')
    .select('reel')
    .where('reel', 'not like', 'moments:%')
    .where('seq', '>', 0)
    .orderBy(sql`reel collate "C"`)
    .execute()
  return rows.map((row) => row.reel)
}

interface StoredFact {
  readonly header: Buffer
  readonly hash: Buffer
  readonly bytes: Buffer | null
}

function factOf(row: StoredFact): Fact {
  return {
    header: decodeJson(row.header),
    payload: row.bytes === null ? null : decodeJson(row.bytes),
    hash: row.hash.toString('hex'),
  }
}
