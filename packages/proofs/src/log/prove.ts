import type { Db } from '@treeos/store'
import type { TreeHead } from '../tree/checkpoint.ts'
import type { LogEntry } from '../tree/leaf.ts'
import { type NodeReader, proveConsistency, proveInclusion, rootOf } from '../tree/proofs.ts'
import { readerOf, tilesFor } from '../tree/tiles.ts'
import { readTiles } from './tiles.ts'

/** The root over the first `size` entries. @throws {Error} when the log holds fewer, or lacks tiles */
export const readTreeHead = async (db: Db, size: number): Promise<TreeHead> => ({
  size,
  root: await withTiles(db, (node) => rootOf(size, node)),
})

/**
 * The hashes that lead from entry `index` to the root over the first `size` entries, the lowest first.
 * @throws {RangeError} unless 0 ≤ index < size
 */
export const readInclusionProof = (db: Db, index: number, size: number): Promise<Buffer[]> =>
  withTiles(db, (node) => proveInclusion(index, size, node))

/**
 * The hashes that prove that the log of `to` entries begins with that of `from`.
 * @throws {RangeError} unless from ≤ to
 */
export const readConsistencyProof = (db: Db, from: number, to: number): Promise<Buffer[]> =>
  withTiles(db, (node) => proveConsistency(from, to, node))

/**
 * Where a fact, or the record of a moment on `moments:<being>`, stands in the log; null while it is not in
 * it.
 */
export async function findLogIndex(
  db: Db,
  { reel, seq }: Pick<LogEntry, 'reel' | 'seq'>,
): Promise<number | null> {
  const found = await db
    .selectFrom('log_entry')
    .select('index')
    .where('reel', '=', reel)
    .where('seq', '=', seq)
    .executeTakeFirst()
  return found?.index ?? null
}

async function withTiles<T>(db: Db, compute: (node: NodeReader) => T): Promise<T> {
  const wanted = tilesFor(compute)
  return compute(readerOf(wanted.length === 0 ? [] : await readTiles(db, wanted)))
}
