import { setTimeout as sleep } from 'node:timers/promises'
import type { FactRef, MomentId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/** One append: the moment that ended with it, and its facts in their order. */
export interface JournalEntry {
  readonly entry: number
  /** null for facts of no moment, such as those of the first reality */
  readonly moment: MomentId | null
  readonly facts: readonly Pick<FactRef, 'reel' | 'seq'>[]
}

export interface JournalPage {
  readonly entries: readonly JournalEntry[]
  /** the last entry that any append has taken, which may not be committed yet */
  readonly newest: number
}

/**
 * Entries after a given one, in order. An append takes its number before it commits, so a number that is
 * missing here may still appear: after {@link waitForOpenAppends} it cannot.
 */
export async function readJournal(db: Db, after: number, limit: number): Promise<JournalPage> {
  const { rows } = await sql<JournalRow>`
    select case when s.is_called then s.last_value else 0 end as newest, j.*
    from treeos.journal_entry_seq s
    left join lateral (
      select entry, moment, reels, seqs from treeos.journal where entry > ${after} order by entry limit ${limit}
    ) j on true`.execute(db)
  return { entries: rows.flatMap(entryOf), newest: rows[0]?.newest ?? 0 }
}

interface JournalRow {
  readonly newest: number
  /** null where there is no entry */
  readonly entry: number | null
  readonly moment: MomentId | null
  readonly reels: readonly string[]
  /** bigint[], which `pg` gives as texts */
  readonly seqs: readonly string[]
}

function entryOf({ entry, moment, reels, seqs }: JournalRow): JournalEntry[] {
  if (entry === null) return []
  return [{ entry, moment, facts: reels.map((reel, i) => ({ reel, seq: Number(seqs[i]) })) }]
}

const SETTLE_MS_MIN = 2
const SETTLE_MS_MAX = 100

/**
 * Resolves when every transaction that was under way is over: each entry taken until now is then committed,
 * or never will be. A transaction that only reads does not count.
 */
export async function waitForOpenAppends(db: Db, signal?: AbortSignal): Promise<void> {
  // All transactions that have written something have an older id than this one.
  const { rows } = await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(db)
  const id = rows[0]?.id
  for (let pauseMs = SETTLE_MS_MIN; ; pauseMs = Math.min(2 * pauseMs, SETTLE_MS_MAX)) {
    const { rows: seen } = await sql<{ over: boolean }>`
      select pg_snapshot_xmin(pg_current_snapshot()) > ${id}::xid8 as over`.execute(db)
    if (seen[0]?.over === true) return
    await sleep(pauseMs, undefined, signal === undefined ? {} : { signal })
  }
}
