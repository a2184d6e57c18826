import { hash, randomBytes } from 'node:crypto'
import {
  listBeingsWithMoments,
  listEntries,
  listFactsAfter,
  listOutcomes,
  listReels,
  readRecorded,
  type StoreDb,
} from '@treeos/store'
import { type Kysely, sql } from 'kysely'

/** Moments that one statement reads, as replay does. */
const PAGE = 50

/** Reads all that a replay from the chain reads, and does nothing with it. @returns moments */
export async function readMoments(db: Kysely<StoreDb>): Promise<number> {
  let count = 0
  for (const being of await listBeingsWithMoments(db)) {
    const outcomes = await listOutcomes(db, being)
    for (let from = 0; from < outcomes.length; from += PAGE) {
      const page = outcomes.slice(from, from + PAGE)
      await readRecorded(
        db,
        page.map(({ moment }) => moment),
      )
      await listEntries(
        db,
        page.flatMap(({ wake }) => wake ?? []),
      )
    }
    count += outcomes.length
  }
  for (const reel of await listReels(db)) await listFactsAfter(db, reel, 0, Number.MAX_SAFE_INTEGER)
  return count
}

/**
 * Makes ready to hash as many bytes as are stored of moments, and to do nothing else: of each moment its open
 * record, its record, its decision, and headers and payloads of its facts.
 * @returns hashes; it returns the moments
 */
export async function hashMoments(db: Kysely<StoreDb>): Promise<() => number> {
  const { rows } = await sql<{ moments: number; parts: number[] }>`
    select count(*) as moments, array[avg(octet_length(o.record)), avg(octet_length(e.record)), coalesce(avg(octet_length(d.bytes)), 0),
      (select sum(octet_length(header)) from treeos.fact) / count(*),
      (select sum(octet_length(bytes)) from treeos.fact) / count(*)]::integer[] as parts
    from treeos.moment_outcome e join treeos.moment_open o using (moment)
    left join treeos.moment_decision d using (moment)`.execute(db)
  const { moments = 0, parts = [] } = rows[0] ?? {}
  const stored = parts.map((length) => randomBytes(length))
  return () => {
    for (let i = 0; i < moments; i++) for (const part of stored) hash('sha256', part, 'binary')
    return moments
  }
}
