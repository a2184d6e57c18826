import { type Db, prefetch, ReadSet } from '@treeos/chain'
import { isOfThread, momentsReel, type SeenHead } from '@treeos/core'
import type { StampInput } from '@treeos/protocol'
import type { LoadedMoment } from '@treeos/reality'
import { beingKey, type RowSource, type ThreadRow, threadKey, WorldReader } from '@treeos/world'
import type { BeatDeps } from '../deps/beat-deps.ts'

/** The world as one try of a stamp finds it. The reader remembers every head that the decision rests on. */
export interface StampReading {
  readonly source: RowSource
  readonly reader: WorldReader
  /** Postgres' clock, ms since 1970 UTC */
  readonly now: number
  /** what was read, so that the next stamp of this being prefetches it */
  readonly readSet: ReadSet
  /** head of the being's moment records, which every stamp extends */
  readonly records: SeenHead
  /** the moment, with a thread of its own if the thread it was opened in was cut meanwhile */
  readonly loaded: LoadedMoment
}

/** Reads what every stamp needs in one statement, with what the being's last stamp read. */
export async function readForStamp(
  db: Db,
  { reality, memory }: BeatDeps,
  { being }: StampInput,
  opened: LoadedMoment,
): Promise<StampReading> {
  const expected = memory.stamped.get(being) ?? new ReadSet()
  expected.keys.add(threadKey(opened.record.wake.root))
  const { source, now, asked: readSet } = await prefetch(db, { reality: reality.id, being }, expected)
  const loaded = await detachFromCutThread(source, opened)
  const [records] = (await source.rows([momentsReel(being)])).map((row) => row.head)
  if (records === undefined) throw new Error(`the records of ${being} have no head`)
  const reader = new WorldReader(source)
  await reader.prefetch([beingKey(being)])
  return { source, reader, now, readSet, records, loaded }
}

/**
 * Who cut a thread; null while nobody has. Read beside the reader: as part of the basis, every thread would get a reel.
 * A cut that is committed after this read is not seen; the wakes that such an act sends open nothing.
 */
export async function findThreadCut(source: RowSource, thread: string): Promise<ThreadRow | null> {
  const [row] = await source.rows([threadKey(thread)])
  return (row?.state ?? null) as ThreadRow | null
}

/** A wake by change, schedule or silence outlives its thread: what follows from it after a cut is a thread of its own. */
async function detachFromCutThread(source: RowSource, loaded: LoadedMoment): Promise<LoadedMoment> {
  const { wake } = loaded.record
  if (isOfThread(wake) || (await findThreadCut(source, wake.root)) === null) return loaded
  return { ...loaded, record: { ...loaded.record, wake: { ...wake, root: wake.id } } }
}
