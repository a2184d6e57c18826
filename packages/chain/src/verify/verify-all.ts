import type { Kysely } from 'kysely'
import type { Fold } from '../rows/refold.ts'
import { inSnapshot } from '../sql/database.ts'
import type { ChainDb } from '../sql/schema.ts'
import { faultsOfBlobs, faultsOfSummons } from './stored-contents.ts'
import { faultsOfMoments } from './stored-moments.ts'
import { FoldedRows } from './stored-rows.ts'
import { type Broken, sorted, type Verified } from './verdict.ts'
import { type VerifyOptions, walkChains } from './verify-chains.ts'

/**
 * Checks every chain as `verifyChains` does, and in the same snapshot all that is stored beside them and derived from them:
 * rows, watches and limits against the facts, what moments opened with and decided against their records, summons against what
 * their senders said, contents against their digests. Nothing but its first fault is told of a chain that is broken.
 * @param fold how facts become rows
 */
export function verifyAll<Row>(
  db: Kysely<ChainDb>,
  reality: string,
  fold: Fold<Row>,
  options: VerifyOptions = {},
): Promise<Verified> {
  return inSnapshot(db, async (tx, copy) => {
    const rows = new FoldedRows(fold)
    const moments: Broken[] = []
    const chains = await walkChains(tx, copy, reality, options, {
      facts: (batch) => rows.take(batch),
      records: async (batch) => void moments.push(...(await faultsOfMoments(tx, batch))),
    })
    // What hangs on a broken chain differs for that reason alone.
    const isBroken = new Set(chains.broken.map(({ reel }) => reel))
    const beside = [
      ...[...(await rows.compare(tx)), ...moments].filter(({ reel }) => !isBroken.has(reel)),
      ...(await faultsOfSummons(tx)),
      ...(await faultsOfBlobs(tx)),
    ]
    return {
      ...chains,
      ok: chains.ok && beside.length === 0,
      broken: sorted([...chains.broken, ...beside]),
    }
  })
}
