import type { Digest, Json } from '@treeos/core'
import { LRUCache } from 'lru-cache'
import { getBlob } from '../ledger/blob.ts'
import type { Db } from '../sql/database.ts'
import { keysInPlace, keysOfBeings, keysOfChildren, listRows, readRows } from './rows.ts'

/** Kept content never changes under its digest, so any number of moments may share it. */
const CACHED_MAX = 2000
const cache = new LRUCache<Digest, NonNullable<Json>>({ max: CACHED_MAX })

/** Rows and kept content as Postgres has them: of one instant when `db` is a snapshot, else each read by itself. */
export function rowSource(db: Db, reality: string) {
  return {
    rows: (keys: readonly string[]) => readRows(db, reality, keys),
    keysInPlace: (place: string, kind: string) => keysInPlace(db, place, kind),
    keysOfBeings: () => keysOfBeings(db),
    keysOfChildren: (being: string) => keysOfChildren(db, being),
    blob: (digest: Digest) => getBlobCached(db, digest),
  }
}

/** What is kept under a digest; null when nothing is. Role specs and programs are asked for again and again. */
export async function getBlobCached(db: Db, digest: Digest): Promise<Json | null> {
  const known = cache.get(digest)
  if (known !== undefined) return known
  const found = await getBlob(db, digest)
  if (found !== null) cache.set(digest, found)
  return found
}

/** All rows of a kind and what they refer to, for lists that are no read of a moment. */
export function catalogRowsOf(db: Db) {
  return {
    states: async (kind: string) => (await listRows(db, kind)).map(({ state }) => state),
    blob: (digest: Digest) => getBlobCached(db, digest),
  }
}
