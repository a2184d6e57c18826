import { type StoreDb, waitForOpenAppends } from '@treeos/store'
import { type Kysely, sql, type Transaction } from 'kysely'
import { type LogEntry, leafHashOf } from '../tree/leaf.ts'
import { extendTiles } from '../tree/tiles.ts'
import { readOpenTiles, writeTiles } from './tiles.ts'

/** Appends whose facts enter the log in one transaction. */
const BATCH_LENGTH = 1000

/**
 * Gives every fact and record that is committed its place in the log, in the order of the journal. Several
 * processes may call it: one of them works, the others do nothing.
 * @param db as the role `treeos_sequencer`, or as the owner
 * @returns the number of entries of the log
 * @throws when the journal names a fact or a moment that is gone
 */
export async function sequence(db: Kysely<StoreDb>, signal?: AbortSignal): Promise<number> {
  for (;;) {
    const { size, upTo } = await decideSequence(db, signal)
    if (upTo === null || signal?.aborted) return size
    const isOurs = await db.transaction().execute((tx) => extend(tx, upTo))
    if (!isOurs) return size
  }
}

/** @returns the last entry of the journal that can be taken now; null when nothing is new */
async function decideSequence(
  db: Kysely<StoreDb>,
  signal: AbortSignal | undefined,
): Promise<{ size: number; upTo: number | null }> {
  const { rows } = await sql<{ size: number; journal: number; newest: number; entries: string[] }>`
    select s.size, s.journal, case when j.is_called then j.last_value else 0 end as newest,
      array(select entry from treeos.journal where entry > s.journal order by entry limit ${BATCH_LENGTH}) as entries
    from treeos.log_state s, treeos.journal_entry_seq j`.execute(db)
  const [state] = rows
  if (state === undefined)
    throw new Error('the table log_state is empty: the owner of the database emptied it')
  const { size, journal, newest, entries } = state
  let upTo = journal
  for (const entry of entries) {
    if (Number(entry) !== upTo + 1) break
    upTo += 1
  }
  if (upTo > journal) return { size, upTo }
  if (newest <= journal) return { size, upTo: null }
  // An append under way has taken the next number, or one that was rolled back had taken it.
  await waitForOpenAppends(db, signal)
  return { size, upTo: Math.min(newest, journal + BATCH_LENGTH) }
}

/** @returns false when another process is at work */
async function extend(tx: Transaction<StoreDb>, upTo: number): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(1953654117, 3) as locked`.execute(tx)
  if (rows[0]?.locked !== true) return false
  const { size, journal } = await tx
    .selectFrom('log_state')
    .select(['size', 'journal'])
    .executeTakeFirstOrThrow()
  if (journal >= upTo) return true // another process has just taken them
  const entries = await addJournal(tx, size, journal, upTo)
  const leaves = entries.sort((a, b) => a.index - b.index).map(leafHashOf)
  await writeTiles(tx, extendTiles(size, leaves, await readOpenTiles(tx, size)))
  await tx
    .updateTable('log_state')
    .set({ size: size + leaves.length, journal: upTo })
    .execute()
  return true
}

type IndexedEntry = LogEntry & { readonly index: number }

/** A fact or record that is gone makes this fail: `hash` may not be null. */
async function addJournal(
  tx: Transaction<StoreDb>,
  size: number,
  after: number,
  upTo: number,
): Promise<IndexedEntry[]> {
  const { rows } = await sql<IndexedEntry>`
    insert into treeos.log_entry (index, reel, seq, hash)
    select ${size}::bigint + row_number() over (order by entry, position) - 1, reel, seq, hash
    from (
      select j.entry, u.position, u.reel, u.seq, f.hash
      from treeos.journal j cross join unnest(j.reels, j.seqs) with ordinality as u (reel, seq, position)
      left join treeos.fact f on f.reel = u.reel and f.seq = u.seq
      where j.entry > ${after} and j.entry <= ${upTo}
      union all
      select j.entry, 2147483647, 'moments:' || o.being, o.n, o.hash
      from treeos.journal j left join treeos.moment_outcome o on o.moment = j.moment
      where j.entry > ${after} and j.entry <= ${upTo} and j.moment is not null
    ) as appended
    returning index, reel, seq, hash`.execute(tx)
  return rows
}
