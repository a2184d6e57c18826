import { type Json, type ReelId, reelOfKey, type SeenHead } from '@treeos/core'
import { type RawBuilder, sql } from 'kysely'
import { genesisHash } from '../ledger/hash.ts'
import type { Db } from '../sql/database.ts'
import { decodeJson } from '../sql/stored-json.ts'
import { decodeState } from './decode-state.ts'
import type { ReadSetItem } from './read-set-items.ts'

/** One row and the head of the reel it is folded from; state is null when there is no such row. */
export interface SeenRow {
  readonly key: string
  readonly state: Json | null
  readonly head: SeenHead
}

/** A row and its reel's head as Postgres returns them. */
type StoredRow = Pick<ReadSetItem, 'key' | 'text' | 'number' | 'hash' | 'state_seq'>

/**
 * Reads rows by key, each with the head of its reel. A missing row has a null state and the head of its reel.
 */
export async function readRows(db: Db, reality: string, keys: readonly string[]): Promise<SeenRow[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<StoredRow>`
    select k.key, p.state as text, h.seq as number, h.hash, h.state_seq
    from unnest(${keys}::text[], ${keys.map(reelOfKey)}::text[]) as k(key, reel)
    left join treeos.projection p on p.key = k.key
    left join treeos.head h on h.reel = k.reel`.execute(db)
  return rows.map((row) => seenRow(reality, row))
}

export function seenRow(reality: string, row: StoredRow): SeenRow {
  const reel = reelOfKey(row.key)
  return {
    key: row.key,
    state: row.text === null ? null : decodeState(row.key, row.text),
    head: seenHead(reality, reel, row.number, row.hash, row.state_seq),
  }
}

/** A reel without a stored head stands at its genesis hash. */
function seenHead(
  reality: string,
  reel: ReelId,
  seq: number | null = null,
  hash: Buffer | null = null,
  stateSeq: number | null = null,
): SeenHead {
  return {
    reel,
    seq: seq ?? 0,
    hash: (hash ?? genesisHash(reality, reel)).toString('hex'),
    stateSeq: stateSeq ?? 0,
  }
}

/**
 * A key has this prefix, which ends with a colon. In the collation C these keys stand together, and an index
 * holds them so.
 */
const isOfKind = (kind: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`key collate "C" >= ${kind} and key collate "C" < rtrim(${kind}, ':') || ';'`

/**
 * Keys of the rows in a place, sorted.
 * @param kind prefix of the keys, as in `being:`
 * @param most only the first; null: all
 */
export async function keysInPlace(
  db: Db,
  place: string,
  kind: string,
  most: number | null,
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select key from treeos.projection where place = ${place} and ${isOfKind(sql`${kind}::text`)}
    order by key collate "C" limit ${most}`.execute(db)
  return rows.map((row) => row.key)
}

/** How many rows of a kind are in a place. */
export async function countInPlace(db: Db, place: string, kind: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from treeos.projection where place = ${place} and ${isOfKind(sql`${kind}::text`)}`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** Keys of the beings that a being made, sorted. */
export async function keysOfChildren(db: Db, parent: string): Promise<string[]> {
  const rows = await db
    .selectFrom('projection')
    .select('key')
    .where('parent', '=', parent)
    .orderBy(sql`key collate "C"`)
    .execute()
  return rows.map((row) => row.key)
}

/** Keys of all beings, sorted. */
export async function keysOfBeings(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('projection')
    .select('key')
    .where('key', 'like', 'being:%')
    .orderBy(sql`key collate "C"`)
    .execute()
  return rows.map((row) => row.key)
}

/** All rows of one kind, sorted by key, for lists that people ask for. */
export async function listRows(
  db: Db,
  kind: string,
): Promise<{ key: string; state: Json; foldedSeq: number }[]> {
  const rows = await db
    .selectFrom('projection')
    .select(['key', 'state', 'folded_seq'])
    .where('key', 'like', `${kind}%`)
    .orderBy(sql`key collate "C"`)
    .execute()
  return rows.map((row) => ({
    key: row.key,
    state: decodeJson(row.state),
    foldedSeq: row.folded_seq,
  }))
}

/** States of the beings that may have a schedule. The index goes by the text of a row, so some have none. */
export async function listScheduling(db: Db): Promise<Json[]> {
  const { rows } = await sql<{ state: string }>`
    select state from treeos.projection where found_as = 'scheduling'`.execute(db)
  return rows.map(({ state }) => decodeJson(state))
}

export async function readHeads(db: Db, reality: string, reels: readonly ReelId[]): Promise<SeenHead[]> {
  const rows = await db
    .selectFrom('head')
    .selectAll()
    .where('reel', 'in', reels.length === 0 ? [''] : [...reels])
    .execute()
  const found = new Map(rows.map((row) => [row.reel, row]))
  return reels.map((reel) => {
    const { seq, hash, state_seq } = found.get(reel) ?? {}
    return seenHead(reality, reel, seq, hash, state_seq)
  })
}
