import { momentsReel, type ReelId } from '@treeos/core'
import { type CopyOut, type Db, inSnapshot, type StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import type { Checkpoint } from '../tree/checkpoint.ts'
import { HeadsTree } from '../tree/heads.ts'
import { leafHashOf } from '../tree/leaf.ts'
import { CompactRange } from '../tree/range.ts'
import { readLog } from './read.ts'
import { faultsOfTables } from './tables.ts'
import { type ChainFault, sorted } from './verdict.ts'

/** What the log says of the record, and the checkpoints of the log. */
export interface LogVerified {
  readonly ok: boolean
  /** of the log, in Postgres */
  readonly entries: number
  /** that were compared */
  readonly checkpoints: number
  /** the newest checkpoint before any that does not fit; null where none fits */
  readonly lastGood: { readonly size: number; readonly root: string } | null
  /** what may have been changed; null when all checkpoints fit */
  readonly suspect: SuspectEntries | null
  /** at most one a reel */
  readonly broken: readonly ChainFault[]
}

/** The entries from one checkpoint that fits to the first one that does not. */
export interface SuspectEntries {
  /** index of the first entry */
  readonly from: number
  /** index after the last entry */
  readonly to: number
  /** entries that a checkpoint covers and the log no longer has */
  readonly gone: number
  readonly reels: readonly { readonly reel: ReelId; readonly from: number; readonly to: number }[]
}

const LOG = 'log'

/**
 * Compares each entry of the log with its fact or record, builds the tree over them again, and compares its
 * roots, and the ends of chains, with checkpoints.
 * @param checkpoints whose signatures were checked, in the order in which they were signed
 * @param more that are compared too, in any order: those that witnesses cosigned
 */
export function verifyLog(
  db: Kysely<StoreDb>,
  checkpoints: readonly Checkpoint[],
  more: readonly Checkpoint[] = [],
): Promise<LogVerified> {
  return inSnapshot(db, async (tx, copy) => {
    const { size, journal } = await tx
      .selectFrom('log_state')
      .select(['size', 'journal'])
      .executeTakeFirstOrThrow()
    const broken = [...(await faultsOfTables(tx)), ...(await changedEntries(tx))]
    broken.push(...(await unlogged(tx, journal)), ...(await takenAhead(tx, journal)))
    const reality = await tx.selectFrom('reality').select('id').executeTakeFirst()
    const tree = await rebuild(copy, [...checkpoints, ...more], new HeadsTree(reality?.id ?? ''))
    if (tree.entries !== size) broken.push({ reel: LOG, seq: tree.entries, reason: 'log-gap' })
    const order = checkpoints.findIndex(({ size }, i) => size <= (checkpoints[i - 1]?.size ?? -1))
    if (order >= 0) broken.push({ reel: LOG, seq: checkpoints[order]?.size ?? 0, reason: 'checkpoint-order' })
    const { firstBad, lastGood } = tree
    const suspect = firstBad === null ? null : await suspectsIn(tx, lastGood?.size ?? 0, firstBad.size)
    if (suspect !== null) broken.push({ reel: LOG, seq: suspect.from, reason: 'checkpoint-mismatch' })
    return {
      ok: broken.length === 0,
      entries: tree.entries,
      checkpoints: checkpoints.length,
      lastGood: lastGood === null ? null : { size: lastGood.size, root: lastGood.root.toString('hex') },
      suspect,
      broken: sorted(broken),
    }
  })
}

/** The first entry of each reel whose fact or record is gone, or has another hash. */
async function changedEntries(tx: Db): Promise<ChainFault[]> {
  const { rows } = await sql<ChainFault>`
    select reel, min(seq) as seq, 'log-mismatch' as reason from (
      select l.reel, l.seq from treeos.log_entry l left join treeos.fact f on f.reel = l.reel and f.seq = l.seq
      where not starts_with(l.reel, ${momentsReel('')}) and f.hash is distinct from l.hash
      union all
      select l.reel, l.seq from treeos.log_entry l
      left join treeos.moment_outcome o on ${momentsReel('')} || o.being = l.reel and o.n = l.seq
      where starts_with(l.reel, ${momentsReel('')}) and o.hash is distinct from l.hash
    ) as changed group by reel`.execute(tx)
  return rows
}

/**
 * The first fact or record of each reel that the log lacks, though the sequencer has passed it.
 * @param journal its place
 */
async function unlogged(tx: Db, journal: number): Promise<ChainFault[]> {
  const { rows } = await sql<ChainFault>`
    with recent as (select moment, reels, seqs from treeos.journal where entry > ${journal})
    select reel, min(seq) as seq, 'log-missing' as reason from (
      select reel, seq from treeos.fact
      union all select ${momentsReel('')} || being, n from treeos.moment_outcome
      except (
        select reel, seq from treeos.log_entry
        union all select u.reel, u.seq from recent r cross join unnest(r.reels, r.seqs) as u (reel, seq)
        union all select ${momentsReel('')} || o.being, o.n from recent r join treeos.moment_outcome o on o.moment = r.moment
      )
    ) as missing group by reel`.execute(tx)
  return rows
}

/**
 * The first entry of the log that comes from an append which the sequencer says it has not taken: its place
 * was set back.
 */
async function takenAhead(tx: Db, journal: number): Promise<ChainFault[]> {
  const { rows } = await sql<ChainFault>`
    select ${LOG} as reel, l.index as seq, 'log-gap' as reason
    from treeos.journal j cross join unnest(j.reels, j.seqs) as u (reel, seq)
    join treeos.log_entry l on l.reel = u.reel and l.seq = u.seq
    where j.entry > ${journal} order by l.index limit 1`.execute(tx)
  return rows
}

/**
 * The tree over the stored entries, up to the first that is missing, and the ends of chains, beside the
 * checkpoints.
 */
async function rebuild(copy: CopyOut, checkpoints: readonly Checkpoint[], ends: HeadsTree) {
  const range = new CompactRange()
  const open = checkpoints.toSorted((a, b) => a.size - b.size)
  let [next, lastGood, firstBad] = [0, null as Checkpoint | null, null as Checkpoint | null]
  const isOfEnds = ({ heads }: Checkpoint): boolean => {
    if (heads === undefined) return true
    const { count, root } = ends.head()
    return heads.count === count && heads.root.equals(root)
  }
  const compare = () => {
    for (let one = open[next]; one !== undefined && one.size === range.size; one = open[++next]) {
      if (firstBad !== null) continue
      if (one.root.equals(range.root()) && isOfEnds(one)) lastGood = one
      else firstBad = one
    }
  }
  compare()
  await readLog(copy, (entry) => {
    if (entry.index !== range.size) return // up to the first that is missing
    range.add(leafHashOf(entry))
    if (open.length > 0) ends.add({ ...entry, hash: Buffer.from(entry.hash) }) // its bytes are shown once
    compare()
  })
  firstBad ??= open[next] ?? null // the log is smaller than what was signed
  return { entries: range.size, lastGood, firstBad }
}

async function suspectsIn(tx: Db, from: number, to: number): Promise<SuspectEntries> {
  const { rows } = await sql<SuspectEntries['reels'][number] & { length: number }>`
    select reel, min(seq) as "from", max(seq) as "to", count(*) as length from treeos.log_entry
    where index >= ${from} and index < ${to} group by reel order by reel collate "C"`.execute(tx)
  const there = rows.reduce((sum, { length }) => sum + length, 0)
  return { from, to, gone: to - from - there, reels: rows.map(({ reel, from, to }) => ({ reel, from, to })) }
}
