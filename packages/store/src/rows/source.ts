import { type Digest, frozen, type Json, NO_ASIDE } from '@treeos/core'
import { LRUCache } from 'lru-cache'
import { readBlob } from '../ledger/blob.ts'
import type { Db } from '../sql/database.ts'
import { listAddresses } from './names-in-rows.ts'
import { countInPlace, keysInPlace, keysOfBeings, keysOfChildren, listRows, readRows } from './rows.ts'

/**
 * A blob never changes, so all moments share this cache of them. They are frozen: code of extensions gets
 * them too.
 */
const CACHED_MAX = 2000
const cache = new LRUCache<Digest, NonNullable<Json>>({ max: CACHED_MAX })

/**
 * Rows and blobs from Postgres. All reads are of one instant when `db` is a snapshot, else each is of its
 * own.
 */
export function rowSource(db: Db, reality: string) {
  return {
    rows: (keys: readonly string[]) => readRows(db, reality, keys),
    keysInPlace: (place: string, kind: string, most: number | null = null) =>
      keysInPlace(db, place, kind, most),
    countInPlace: (place: string, kind: string) => countInPlace(db, place, kind),
    keysOfBeings: () => keysOfBeings(db),
    keysOfChildren: (being: string) => keysOfChildren(db, being),
    blob: (digest: Digest) => readBlobCached(db, digest),
    aside: NO_ASIDE, // read outside of a moment
  }
}

/**
 * The blob with this digest, or null. Blobs are cached, because moments read the same role specs and programs
 * again and again. What the cache holds is returned without a promise.
 */
export const readBlobCached = (db: Db, digest: Digest): Json | null | Promise<Json | null> =>
  cache.get(digest) ?? readIntoCache(db, digest)

async function readIntoCache(db: Db, digest: Digest): Promise<Json | null> {
  const found = await readBlob(db, digest)
  if (found !== null) cache.set(digest, frozen(found))
  return found
}

/** All rows of a kind and the blobs they refer to, for lists that no moment relies on. */
export function catalogRowsOf(db: Db) {
  return {
    states: async (kind: string) => (await listRows(db, kind)).map(({ state }) => state),
    addresses: () => listAddresses(db),
    blob: async (digest: Digest) => readBlobCached(db, digest),
  }
}
