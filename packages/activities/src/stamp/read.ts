import { approvalOf, isOfThread, momentsReel, type SeenHead } from '@treeos/core'
import type { StampInput } from '@treeos/protocol'
import { findThreadCut, type LoadedMoment } from '@treeos/reality'
import { type Db, type KeptReading, prefetch, ReadSet, readAgain } from '@treeos/store'
import { beingKey, type RowSource, threadKey, WorldReader } from '@treeos/world'
import type { BeatDeps } from '../deps.ts'
import type { ConcludedCall } from '../moments/open-moments.ts'

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
  /**
   * the world as it was when the moment opened: what is not an act is judged again, from the world as it is
   * now
   */
  readonly isKept: boolean
  /** what its call came to when its mind was asked; null where that is not to be used */
  readonly concluded: ConcludedCall | null
}

/**
 * Reads in one statement what every stamp needs and what the being's last stamp read.
 * @param kept the world as it was when the moment opened: then it is read again, without a statement where
 *   that is enough
 * @param before what its call came to, in that world
 */
export async function readForStamp(
  db: Db,
  { reality, memory }: BeatDeps,
  { being }: StampInput,
  opened: LoadedMoment,
  kept: KeptReading | null,
  before: ConcludedCall | null = null,
): Promise<StampReading> {
  const viewer = { reality: reality.id, being }
  const expected = new ReadSet()
  expected.add(memory.stamped.get(being) ?? new ReadSet())
  expected.keys.add(threadKey(opened.record.wake.root))
  const read = kept === null ? await prefetch(db, viewer, expected) : readAgain(db, viewer, kept)
  const concluded = kept === null || before === null || !mayStand(before, opened) ? null : before
  const { source, readSet } = concluded?.world ?? read
  const current = await detachFromCutThread(source, opened)
  const [recordsHead] = (await source.rows([momentsReel(being)])).map((row) => row.head)
  if (recordsHead === undefined) throw new Error(`the records of ${being} have no head`)
  const reader = concluded?.reader ?? new WorldReader(source)
  await reader.prefetch([beingKey(being)])
  return {
    source,
    reader,
    now: read.now,
    readSet,
    recordsHead,
    current,
    isKept: kept !== null,
    concluded: current === opened ? concluded : null,
  }
}

/**
 * What was said stands where nothing else is asked at a stamp: nobody is answered who may have been answered
 * meanwhile, and no rule is tried.
 */
const mayStand = ({ reader }: ConcludedCall, { record }: LoadedMoment): boolean =>
  record.answers === null && approvalOf(record.wake) === null && !reader.hasDryRun

/** Gives a moment that a change, schedule or silence woke a thread of its own when its thread was cut. */
async function detachFromCutThread(source: RowSource, opened: LoadedMoment): Promise<LoadedMoment> {
  const { wake } = opened.record
  if (isOfThread(wake) || (await findThreadCut(source, wake.root)) === null) return opened
  return { ...opened, record: { ...opened.record, wake: { ...wake, root: wake.id } } }
}
