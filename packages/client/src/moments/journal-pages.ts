import { type JournalEntry, readJournal, type StoreDb, waitForOpenAppends } from '@treeos/store'
import type { Kysely } from 'kysely'

export interface DecidedPage {
  readonly entries: readonly JournalEntry[]
  /** every entry up to this one is in a page, or will never exist */
  readonly upTo: number
  /** the last entry that any append had taken */
  readonly newest: number
  readonly isMore: boolean
}

export interface PageRequest {
  /** number of the entry before the page */
  readonly after: number
  readonly limit: number
}

/** Reads entries of the journal below which none can appear any more. */
export async function readDecided(
  db: Kysely<StoreDb>,
  { after, limit }: PageRequest,
  signal?: AbortSignal,
): Promise<DecidedPage> {
  const first = await readJournal(db, after, limit)
  const { newest } = first
  const isMore = first.entries.length === limit
  const hasNoGap = first.entries.every(({ entry }, i) => entry === after + 1 + i)
  const upTo = after + first.entries.length
  if (hasNoGap && (isMore || upTo >= newest)) return { entries: first.entries, upTo, newest, isMore }
  // An append under way has taken a number, or one that was rolled back had taken it.
  await waitForOpenAppends(db, signal)
  const { entries } = await readJournal(db, after, limit)
  const decided = entries.filter(({ entry }) => entry <= newest)
  if (decided.length < limit)
    return { entries: decided, upTo: Math.max(after, newest), newest, isMore: false }
  return { entries: decided, upTo: decided.at(-1)?.entry ?? after, newest, isMore: true }
}
