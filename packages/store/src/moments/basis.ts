import { type Digest, type HeadRef, isJsonObject, type Json, type MomentId, type ReelId } from '@treeos/core'
import { sql } from 'kysely'
import type { Basis, MomentNotes } from '../ledger/records.ts'
import type { Db } from '../sql/database.ts'
import { decodeJson } from '../sql/stored-json.ts'

/** What moments read, with the hashes that its facts have now; the hash of a missing fact is empty. */
export async function readBases(db: Db, moments: readonly MomentId[]): Promise<Map<MomentId, Basis>> {
  const rows = await db
    .selectFrom('moment_open')
    .select(['moment', 'basis'])
    .where('moment', '=', sql<string>`any(${[...moments]}::text[])`)
    .execute()
  const stored = rows.map(({ moment, basis }) => ({ moment, ...basisIn(basis) }))
  const hashed = await hashesFor(
    db,
    stored.map(({ heads }) => heads),
  )
  return new Map(stored.map(({ moment, heads, ...basis }) => [moment, { ...basis, heads: hashed(heads) }]))
}

/**
 * The heads that moments were judged from and that their bases have not, with the hashes that their facts
 * have now. Moments without any are left out.
 */
export async function readJudged(
  db: Db,
  moments: readonly MomentId[],
): Promise<Map<MomentId, readonly HeadRef[]>> {
  const rows = await db
    .selectFrom('moment_outcome')
    .select(['moment', 'judged'])
    .where('moment', '=', sql<string>`any(${[...moments]}::text[])`)
    .where('judged', 'is not', null)
    .execute()
  const stored = rows.map(({ moment, judged }) => [moment, headsOf(jsonIn(judged))] as const)
  const hashed = await hashesFor(
    db,
    stored.map(([, heads]) => heads),
  )
  return new Map(stored.map(([moment, heads]) => [moment, hashed(heads)]))
}

/** A basis with other heads in the place of its own, and further ones; sorted by reel. */
export function overlaid(basis: readonly HeadRef[], others: readonly HeadRef[]): HeadRef[] {
  const heads = new Map([...basis, ...others].map((head) => [head[0], head]))
  return sortedByReel([...heads.values()])
}

/** Heads without their hashes: seqs by reel. */
export type StoredHeads = Readonly<Record<ReelId, number>>

/** A basis as it is stored: heads without their hashes. */
export type StoredBasis = Omit<Basis, 'heads'> & { readonly heads: StoredHeads }

/** What was changed so that it holds no basis gives one without a salt, which fits no digest. */
export function basisIn(stored: Buffer): StoredBasis {
  const basis = jsonIn(stored)
  const { heads = null, salt = null, noted = null } = isJsonObject(basis) ? basis : {}
  return {
    heads: headsOf(heads),
    salt: typeof salt === 'string' ? salt : '',
    noted: isJsonObject(noted) ? (noted as MomentNotes) : null,
  }
}

/**
 * Heads as they are stored. What was changed so that it holds none gives a head of no reel, which fits no
 * digest.
 */
export const headsOf = (heads: Json): StoredHeads =>
  isJsonObject(heads) && Object.values(heads).every((seq) => Number.isSafeInteger(seq))
    ? (heads as StoredHeads)
    : NO_REEL

const NO_REEL: StoredHeads = { '': 0 }

/** Null for anything but JSON. */
export function jsonIn(stored: Buffer | null): Json {
  try {
    return stored === null ? null : decodeJson<Json>(stored)
  } catch {
    return null
  }
}

/** The heads that a basis has not, or has with another seq; sorted by reel. */
export const headsBeyond = (basis: ReadonlyMap<ReelId, number>, heads: readonly HeadRef[]): HeadRef[] =>
  sortedByReel(heads.filter(([reel, seq]) => basis.get(reel) !== seq))

const sortedByReel = (heads: HeadRef[]) => heads.sort(([a], [b]) => (a < b ? -1 : Number(a > b)))

/**
 * Reads the hashes that heads have now, in one statement.
 * @param stored heads as they are stored
 * @returns gives such heads with their hashes; the hash of a missing fact is empty
 */
export async function hashesFor(
  db: Db,
  stored: readonly StoredHeads[],
): Promise<(heads: StoredHeads) => readonly HeadRef[]> {
  const hashOf = await readHashes(
    db,
    stored.flatMap((heads) => Object.entries(heads)),
  )
  return (heads) => Object.entries(heads).map(([reel, seq]) => [reel, seq, hashOf(reel, seq)])
}

async function readHashes(db: Db, heads: readonly (readonly [ReelId, number])[]) {
  const wanted = new Map(heads.map(([reel, seq]) => [`${seq} ${reel}`, { reel, seq }]))
  const asked = [...wanted.values()]
  const { rows } = await sql<{ reel: ReelId; seq: number; hash: Buffer }>`
    select k.reel, k.seq, case k.seq when 0 then treeos.genesis(k.reel) else f.hash end as hash
    from unnest(${asked.map(({ reel }) => reel)}::text[], ${asked.map(({ seq }) => seq)}::bigint[]) as k(reel, seq)
    left join treeos.fact f on f.reel = k.reel and f.seq = k.seq
    where k.seq = 0 or f.hash is not null`.execute(db)
  const hashes = new Map(rows.map(({ reel, seq, hash }) => [`${seq} ${reel}`, hash.toString('hex')]))
  return (reel: ReelId, seq: number): Digest => hashes.get(`${seq} ${reel}`) ?? ''
}
