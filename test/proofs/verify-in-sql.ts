import type { ChainFault, ChainsVerified } from '@treeos/proofs'
import { type Db, inSnapshot, type StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import { judgeFacts, judgeHeads, judgeRecords } from './judge-in-sql.ts'

/** How many facts one statement checks, a second at most. A reel is never split. */
const CHUNK_LENGTH = 100_000

/**
 * The same verdict as `verifyChains`, by Postgres alone with its own sha256 and window functions. It shares
 * no code with what writes chains. In a moment's record it compares values, not their canonical form.
 * @param reality the id that genesis hashes are derived from
 */
export function verifyInSql(db: Kysely<StoreDb>, reality: string): Promise<ChainsVerified> {
  return inSnapshot(db, async (tx, copy) => {
    const counts = await sql<Count>`
      select reel, count(*) as facts from treeos.fact group by reel order by reel`.execute(tx)
    const records = await sql<Count>`
      select being as reel, count(*) as facts from treeos.moment_outcome group by being order by being`.execute(
      tx,
    )
    const work = [
      ...chunksOf(counts.rows).map(
        ([from, to]) =>
          () =>
            judgeFacts(copy, reality, from, to),
      ),
      ...chunksOf(records.rows).map(
        ([from, to]) =>
          () =>
            judgeRecords(copy, reality, from, to),
      ),
    ]
    const faults = await allOf(work, await statementsAtOnce(tx))
    faults.push(...(await judgeHeads(tx, reality)))
    const first = new Map<string, ChainFault>()
    for (const fault of faults) {
      const known = first.get(fault.reel)
      if (known === undefined || fault.seq < known.seq) first.set(fault.reel, fault)
    }
    return {
      reels: counts.rows.length,
      facts: total(counts.rows),
      moments: total(records.rows),
      ok: first.size === 0,
      // the map holds one fault of each reel
      broken: [...first.values()].sort((a, b) => (a.reel < b.reel ? -1 : 1)),
    }
  })
}

/** How many statements may run at once: as many as Postgres is set to let work on one. */
async function statementsAtOnce(tx: Db): Promise<number> {
  const { rows } = await sql<{ helpers: number }>`
    select current_setting('max_parallel_workers_per_gather')::integer as helpers`.execute(tx)
  return 1 + (rows[0]?.helpers ?? 0)
}

/** @param width tasks that are under way at once */
async function allOf<T>(tasks: readonly (() => Promise<readonly T[]>)[], width: number): Promise<T[]> {
  const results: T[] = []
  const rest = tasks.values()
  const lane = async () => {
    for (const task of rest) results.push(...(await task()))
  }
  await Promise.all(Array.from({ length: width }, lane))
  return results
}

interface Count {
  readonly reel: string
  readonly facts: number
}

const total = (counts: readonly Count[]): number => counts.reduce((sum, { facts }) => sum + facts, 0)

/** First and last reel of each chunk that one statement checks. */
function chunksOf(counts: readonly Count[]): (readonly [string, string])[] {
  const chunks: (readonly [string, string])[] = []
  let from: string | null = null
  let length = 0
  for (const [i, { reel, facts }] of counts.entries()) {
    from ??= reel
    length += facts
    if (length < CHUNK_LENGTH && i < counts.length - 1) continue
    chunks.push([from, reel])
    from = null
    length = 0
  }
  return chunks
}
