import { type BeingName, TreeosError } from '@treeos/core'
import { type Db, findOpen, listBeingsWithMoments, listOutcomes, type StoredOutcome } from '@treeos/store'
import type { MomentQuery } from './shape.ts'

const PAGE = 500
/** A query that names no being may look through all that was ever lived. */
const LOOKED_MAX = 100_000

/**
 * The past moments that a query names, oldest first: those in which a model decided for the being itself.
 * @throws {TreeosError} MOMENT_NOT_FOUND when there is none; INVALID_INPUT for a query that looks through too
 *   many
 */
export async function selectMoments(db: Db, query: MomentQuery, seed: number): Promise<StoredOutcome[]> {
  const beings = query.being ?? (await listBeingsWithMoments(db)).sort()
  const found: StoredOutcome[] = []
  let looked = 0
  const onPage = (count: number) => {
    looked += count
    if (looked > LOOKED_MAX)
      throw new TreeosError(
        'INVALID_INPUT',
        `moments: more than ${LOOKED_MAX} moments would be looked through: name beings, or an instant by \`since\``,
      )
  }
  for (const being of beings) found.push(...(await newestOf(db, being, query, onPage)))
  const newest = found.sort(byTime).slice(-query.last)
  if (newest.length === 0)
    throw new TreeosError(
      'MOMENT_NOT_FOUND',
      'no past moment fits: only those count in which a model decided, and none of them is what `moments` says',
    )
  return query.sample === undefined || query.sample >= newest.length
    ? newest
    : drawn(newest, query.sample, seed).sort(byTime)
}

const byTime = (a: StoredOutcome, b: StoredOutcome): number =>
  a.record.openedAt - b.record.openedAt || (a.being < b.being ? -1 : a.being > b.being ? 1 : a.n - b.n)

async function newestOf(
  db: Db,
  being: BeingName,
  query: MomentQuery,
  onPage: (count: number) => void,
): Promise<StoredOutcome[]> {
  const found: StoredOutcome[] = []
  const since = query.since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(query.since)
  for (let before: number | undefined; found.length < query.last; ) {
    const page = await listOutcomes(db, being, PAGE, before)
    onPage(page.length)
    for (const outcome of page.toReversed())
      if (found.length < query.last && (await fits(db, outcome, query))) found.push(outcome)
    const [oldest] = page
    if (oldest === undefined || page.length < PAGE || oldest.record.openedAt < since) break
    before = oldest.n
  }
  return found
}

async function fits(db: Db, outcome: StoredOutcome, query: MomentQuery): Promise<boolean> {
  const { record, primary, kind, reason } = outcome
  if (reason === 'superseded' || record.stack === null) return false
  if (query.role !== undefined && (primary ?? record.stack.primary.name) !== query.role) return false
  if (query.outcome !== undefined && !query.outcome.includes(kind)) return false
  if (query.since !== undefined && record.openedAt < Date.parse(query.since)) return false
  if (query.until !== undefined && record.openedAt >= Date.parse(query.until)) return false
  const open = await findOpen(db, outcome.moment)
  return open !== null && open.record.cognition.kind === 'llm' && open.record.driver === null
}

/** So many of them by a seed: the same each time. */
function drawn<T>(all: readonly T[], count: number, seed: number): T[] {
  const next = randomOf(seed)
  const left = [...all]
  return Array.from({ length: count }, () => left.splice(Math.floor(next() * left.length), 1)[0] as T)
}

/** Numbers from 0 to 1 that a seed determines: the generator mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
