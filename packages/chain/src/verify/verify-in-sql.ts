import { type Kysely, sql } from 'kysely'
import { inSnapshot } from '../sql/database.ts'
import type { ChainDb } from '../sql/schema.ts'
import { findStrays, judgeFacts, judgeHeads, judgeRecords } from './judge-in-sql.ts'
import { type Broken, sorted, type Verified } from './verdict.ts'

/** How many facts one statement checks, a few seconds at most. A reel is never split. */
const CHUNK_LENGTH = 200_000

/**
 * The same verdict as `verifyChains`, by Postgres alone with its own sha256 and window functions. It shares no code with
 * what writes chains. In a moment's record it compares values, not their canonical form.
 * @param reality the id that genesis hashes are derived from
 */
export function verifyInSql(db: Kysely<ChainDb>, reality: string): Promise<Verified> {
  return inSnapshot(db, async (tx) => {
    const counts = await sql<Count>`
      select reel, count(*) as facts from treeos.fact group by reel order by reel`.execute(tx)
    const records = await sql<Count>`
      select being as reel, count(*) as facts from treeos.moment_outcome group by being order by being`.execute(
      tx,
    )
    const faults: Broken[] = []
    for (const [from, to] of chunksOf(counts.rows)) faults.push(...(await judgeFacts(tx, reality, from, to)))
    for (const [from, to] of chunksOf(records.rows))
      faults.push(...(await judgeRecords(tx, reality, from, to)))
    faults.push(...(await judgeHeads(tx, reality)), ...(await findStrays(tx)))
    const first = new Map<string, Broken>()
    for (const fault of faults) {
      const known = first.get(fault.reel)
      if (known === undefined || fault.seq < known.seq) first.set(fault.reel, fault)
    }
    return {
      reels: counts.rows.length,
      facts: total(counts.rows),
      moments: total(records.rows),
      ok: first.size === 0,
      broken: sorted(first.values()),
    }
  })
}

interface Count {
  readonly reel: string
  readonly facts: number
}

const total = (counts: readonly Count[]): number => counts.reduce((sum, { facts }) => sum + facts, 0)

/** First and last reel of each chunk that one statement checks. */
function* chunksOf(counts: readonly Count[]): Generator<readonly [string, string]> {
  let from: string | null = null
  let length = 0
  for (const [i, { reel, facts }] of counts.entries()) {
    from ??= reel
    length += facts
    if (length < CHUNK_LENGTH && i < counts.length - 1) continue
    yield [from, reel]
    from = null
    length = 0
  }
}
