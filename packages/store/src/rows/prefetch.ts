import {
  type AsideSource,
  type BeingName,
  type Digest,
  momentsReel,
  type RecallAsked,
  type RecalledNotes,
  type ReelId,
} from '@treeos/core'
import type { Kysely } from 'kysely'
import { type Db, inSnapshot } from '../sql/database.ts'
import type { StoreDb } from '../sql/schema.ts'
import type { AsideAsked, AsidePart, FetchedAside } from './aside.ts'
import { searchNotes, wordsHeard } from './note-search.ts'
import { queryPast } from './past-acts.ts'
import { type FetchedReadSet, fetchReadSet, placeName, queryAside, ReadSet } from './read-set.ts'
import type { ReadingBeing } from './read-set-items.ts'
import type { SeenRow } from './rows.ts'
import { readBlobCached, rowSource } from './source.ts'

/** The world with a predicted read set already fetched. */
export interface PrefetchedWorld extends Pick<FetchedReadSet, 'now' | 'lastSealed'> {
  /** answers from what was fetched, and queries the rest when asked for it */
  readonly source: ReturnType<typeof sourceOver> & {
    readonly aside: ReturnType<typeof asideOver> & Pick<AsideSource, 'recalled'>
  }
  /** everything that was asked of `source` so far: the prediction for the next reading */
  readonly readSet: ReadSet
}

/** What a reading fetched. Another reading of the same instant can answer from it. */
export interface KeptReading {
  readonly fetched: FetchedReadSet
  /** what was fetched */
  readonly predicted: ReadSet
  /** ms of `performance.now()` when it was fetched */
  readonly at: number
}

/**
 * Fetches a read set in one statement, so all of it is of one instant. Later queries of the source see a
 * later instant, unless `db` is a snapshot.
 */
export async function prefetch(db: Db, viewer: ReadingBeing, predicted: ReadSet): Promise<PrefetchedWorld> {
  return prefetchedOver(db, viewer, await fetchKept(db, viewer, predicted), queriesOf(db, viewer))
}

/**
 * Reads the world again as an earlier reading fetched it, without a statement. What that did not fetch is of
 * a later instant. So use it only where the heads of all that was read are checked, as append does. Its clock
 * goes on.
 */
export function readAgain(db: Db, viewer: ReadingBeing, kept: KeptReading): PrefetchedWorld {
  const now = kept.fetched.now + Math.floor(performance.now() - kept.at)
  const fetched = { ...kept.fetched, now }
  return prefetchedOver(db, viewer, { ...kept, fetched }, queriesOf(db, viewer))
}

const queriesOf = (db: Db, viewer: ReadingBeing): MissedReads => ({
  ...rowSource(db, viewer.reality),
  aside: (asked) => queryAside(db, viewer, asked),
  past: (reels) => queryPast(db, viewer.being, reels),
})

async function fetchKept(db: Db, viewer: ReadingBeing, predicted: ReadSet): Promise<KeptReading> {
  const fetched = await fetchReadSet(db, viewer, predicted)
  return { fetched, predicted, at: performance.now() }
}

/**
 * Reads the world at one instant. One statement is enough when the prediction covers all that `read` asks
 * for. Otherwise `read` runs a second time, in a snapshot.
 */
export async function readAtOneInstant<T>(
  db: Kysely<StoreDb>,
  viewer: ReadingBeing,
  predicted: ReadSet,
  read: (world: PrefetchedWorld) => Promise<T>,
): Promise<{ seen: T; readSet: ReadSet; kept: KeptReading }> {
  return readFrom(db, viewer, await fetchKept(db, viewer, predicted), read)
}

/** As `readAtOneInstant`, with the prediction already fetched. */
export async function readFrom<T>(
  db: Kysely<StoreDb>,
  viewer: ReadingBeing,
  kept: KeptReading,
  read: (world: PrefetchedWorld) => Promise<T>,
): Promise<{ seen: T; readSet: ReadSet; kept: KeptReading }> {
  const search = searchOnce(viewer)
  const first = prefetchedOver(db, viewer, kept, NO_QUERIES, search)
  try {
    return { seen: await read(first), readSet: first.readSet, kept }
  } catch (error) {
    if (!(error instanceof NotPrefetchedError)) throw error
  }
  return inSnapshot(db, async (tx) => {
    const again = await fetchKept(tx, viewer, first.readSet)
    const second = prefetchedOver(tx, viewer, again, queriesOf(tx, viewer), search)
    return { seen: await read(second), readSet: second.readSet, kept: again }
  })
}

/** The first reading of `readAtOneInstant` asked for something that was not predicted. */
class NotPrefetchedError extends Error {}

/** Queries for what the read set missed. */
type MissedReads = Omit<ReturnType<typeof rowSource>, 'blob' | 'aside'> & {
  aside(asked: AsideAsked): Promise<FetchedAside>
  past: AsideSource['past']
}

const refuse = () => Promise.reject(new NotPrefetchedError())
const NO_QUERIES: MissedReads = {
  rows: refuse,
  keysInPlace: refuse,
  countInPlace: refuse,
  keysOfBeings: refuse,
  keysOfChildren: refuse,
  aside: refuse,
  past: refuse,
}

function prefetchedOver(
  db: Db,
  viewer: ReadingBeing,
  { fetched, predicted }: Pick<KeptReading, 'fetched' | 'predicted'>,
  fallback: MissedReads,
  search: RecallQuery = searchOnce(viewer),
): PrefetchedWorld {
  const readSet = new ReadSet()
  readSet.keys.add(momentsReel(viewer.being)) // the stamp writes this reel, which has a head and no row
  const { now, lastSealed } = fetched
  const aside = asideOver(fetched.aside, predicted, fallback, readSet)
  const source = { ...sourceOver(db, fetched, fallback, readSet), aside: { ...aside, recalled: search(db) } }
  return { now, lastSealed, source, readSet }
}

/**
 * Searches notes as they are now: what the search found and the being may see is recorded, and the things
 * that it found are read from the snapshot. A second reading of the same moment gets what the first one
 * found. A reading searches by its own connection: if snapshots waited for other ones, they could all wait
 * for each other.
 */
function searchOnce(viewer: ReadingBeing): RecallQuery {
  let found: Promise<RecalledNotes> | null = null
  const search = async (db: Db, asked: RecallAsked) => {
    const about = `${asked.about}\n${await wordsHeard(db, viewer)}`
    const sought = (await viewer.seek?.([viewer.being, ...asked.makers], about)) ?? null
    return searchNotes(db, viewer.being, { ...asked, about }, sought)
  }
  return (db) => async (asked, seen) => {
    found ??= search(db, asked)
    const { notes, ...rest } = await found
    const mayBeSeen = await seen(notes.map(({ id }) => id))
    return { notes: notes.filter(({ id }) => mayBeSeen.has(id)), ...rest }
  }
}

type RecallQuery = (db: Db) => AsideSource['recalled']

function asideOver(
  fetched: FetchedAside,
  { asides: known, wore: knownBeings }: ReadSet,
  fallback: MissedReads,
  readSet: ReadSet,
) {
  const part = async <Part extends AsidePart>(name: Part): Promise<FetchedAside[Part]> => {
    readSet.asides.add(name)
    if (known.has(name)) return fetched[name]
    return (await fallback.aside({ asides: new Set<AsidePart>([name]), wore: new Set() }))[name]
  }
  return {
    said: () => part('said'),
    did: () => part('did'),
    waiting: () => part('waiting'),
    threads: () => part('threads'),
    // few moments look back, so no other one pays for a guess
    past: (reels: readonly ReelId[] | null) => fallback.past(reels),
    async wore(beings: readonly BeingName[]): Promise<FetchedAside['wore']> {
      for (const being of beings) readSet.wore.add(being)
      const missing = beings.filter((being) => !knownBeings.has(being))
      const found = missing.length === 0 ? {} : (await fallback.aside(askingFor(missing))).wore
      return pick({ ...fetched.wore, ...found }, beings)
    },
  }
}

const askingFor = (beings: readonly BeingName[]) => ({
  asides: new Set<AsidePart>(),
  wore: new Set(beings),
})

/** Only these keys: the prediction may hold beings that are no longer asked for. */
const pick = <T>(all: Readonly<Record<string, T>>, keys: readonly string[]): Record<string, T> =>
  Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(all, key) ? [[key, all[key] as T]] : [])))

function sourceOver(db: Db, fetched: FetchedReadSet, fallback: MissedReads, readSet: ReadSet) {
  return {
    async rows(keys: readonly string[]): Promise<SeenRow[]> {
      const known: SeenRow[] = []
      const missing: string[] = []
      for (const key of keys) {
        readSet.keys.add(key)
        const row = fetched.rows.get(key)
        if (row === undefined) missing.push(key)
        else known.push(row)
      }
      return missing.length === 0 ? known : [...known, ...(await fallback.rows(missing))]
    },
    async keysInPlace(place: string, kind: string, most: number | null = null): Promise<string[]> {
      const asked = { place, kind, most }
      readSet.list(asked)
      const known = fetched.lists.get(placeName(asked))
      if (known === undefined || !isEnough(known, most)) return fallback.keysInPlace(place, kind, most)
      return known.keys.slice(0, most ?? undefined)
    },
    async countInPlace(place: string, kind: string): Promise<number> {
      const asked = { place, kind }
      readSet.count(asked)
      return fetched.counts.get(placeName(asked)) ?? (await fallback.countInPlace(place, kind))
    },
    async keysOfChildren(parent: string): Promise<string[]> {
      readSet.parents.add(parent)
      return [...(fetched.children.get(parent) ?? (await fallback.keysOfChildren(parent)))]
    },
    keysOfBeings: () => fallback.keysOfBeings(),
    blob: (digest: Digest) => readBlobCached(db, digest),
  }
}

/** Whether a list that was fetched with a bound answers for another one. */
function isEnough(
  { keys, most: fetched }: { keys: readonly string[]; most: number | null },
  most: number | null,
) {
  return fetched === null || keys.length < fetched || (most !== null && most <= fetched)
}
