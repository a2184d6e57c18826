import { approvalOf, isOfThread, LIMITS, momentsReel, type SeenHead } from '@treeos/core'
import type { StampInput } from '@treeos/protocol'
import type { LoadedMoment } from '@treeos/reality'
import { countChain, type Db, type KeptReading, prefetch, ReadSet, readAgain } from '@treeos/store'
import { beingKey, type RowSource, type ThreadRow, threadKey, WorldReader } from '@treeos/world'
import type { BeatDeps } from '../deps.ts'
import type { Tried } from '../moments/open-moments.ts'

/** The world as one try of a stamp reads it. The reader records every head that it reads. */
export interface StampReading {
  readonly source: RowSource
  readonly reader: WorldReader
  /** Postgres' clock, ms since 1970 UTC */
  readonly now: number
  /** keys that this try reads; the next stamp of the being prefetches them */
  readonly readSet: ReadSet
  /** head of the being's moment records, which every stamp extends */
  readonly recordsHead: SeenHead
  /** the moment, with a new thread when its thread was cut after it opened */
  readonly current: LoadedMoment
  /** the world as it was when the moment opened: what is not an act is judged again, from the world as it is now */
  readonly isKept: boolean
  /** what the gates said of its call when its mind was asked; null where that is not to be used */
  readonly tried: Tried | null
}

/**
 * Reads in one statement what every stamp needs and what the being's last stamp read.
 * @param kept the world as it was when the moment opened: then it is read again, without a statement where that is enough
 * @param before what the gates said of its call, from that world
 */
export async function readForStamp(
  db: Db,
  { reality, memory }: BeatDeps,
  { being }: StampInput,
  opened: LoadedMoment,
  kept: KeptReading | null,
  before: Tried | null = null,
): Promise<StampReading> {
  const viewer = { reality: reality.id, being }
  const expected = new ReadSet()
  expected.add(memory.stamped.get(being) ?? new ReadSet())
  expected.keys.add(threadKey(opened.record.wake.root))
  const read = kept === null ? await prefetch(db, viewer, expected) : readAgain(db, viewer, kept)
  const tried = kept === null || before === null || !mayStand(before, opened) ? null : before
  const { source, readSet } = tried?.world ?? read
  const current = await detachFromCutThread(source, opened)
  const [recordsHead] = (await source.rows([momentsReel(being)])).map((row) => row.head)
  if (recordsHead === undefined) throw new Error(`the records of ${being} have no head`)
  const reader = tried?.reader ?? new WorldReader(source)
  await reader.prefetch([beingKey(being)])
  return {
    source,
    reader,
    now: read.now,
    readSet,
    recordsHead,
    current,
    isKept: kept !== null,
    tried: current === opened ? tried : null,
  }
}

/** What was said stands where nothing else is asked at a stamp: nobody is answered who may have been answered meanwhile, and no rule is tried. */
const mayStand = ({ reader }: Tried, { record }: LoadedMoment): boolean =>
  record.answers === null && approvalOf(record.wake) === null && !reader.hasTrials

/**
 * The cut of a thread; null when it is not cut. It bypasses the reader, since each thread in a basis would need a reel.
 * The append looks again. A cut that is committed at the same time as the act is missed by both; then the wakes that the act
 * sends open no moment.
 */
export async function findThreadCut(source: RowSource, thread: string): Promise<ThreadRow | null> {
  const [row] = await source.rows([threadKey(thread)])
  return (row?.state ?? null) as ThreadRow | null
}

/** Gives a moment that a change, schedule or silence woke a thread of its own when its thread was cut. */
async function detachFromCutThread(source: RowSource, opened: LoadedMoment): Promise<LoadedMoment> {
  const { wake } = opened.record
  if (isOfThread(wake) || (await findThreadCut(source, wake.root)) === null) return opened
  return { ...opened, record: { ...opened.record, wake: { ...wake, root: wake.id } } }
}

/**
 * Whether a cause chain has reached its limit of wakes. Hops limit the depth of a chain and self-continues its length, but
 * a chain can also branch. Concurrent stamps may each add their wakes beyond the limit.
 */
export const isChainFull = async (db: Db, root: string): Promise<boolean> =>
  (await countChain(db, root, LIMITS.chainWakesMax)) >= LIMITS.chainWakesMax
