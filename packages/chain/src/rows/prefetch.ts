import { type BeingName, type Digest, type Json, momentsReel, reelOfKey } from '@treeos/core'
import { type Kysely, sql } from 'kysely'
import { type Db, inSnapshot } from '../sql/database.ts'
import type { ChainDb } from '../sql/schema.ts'
import { type SeenRow, seenRow } from './rows.ts'
import { getBlobCached, rowSource } from './source.ts'

/**
 * What a reading of the world asked for. The next one for the same purpose begins with all of it in one statement, since
 * beings look where they looked before. A guess only: one that is wrong costs round trips, nothing else.
 */
export class ReadSet {
  /** of rows */
  readonly keys = new Set<string>()
  /** what lies in them */
  readonly places = new Set<string>()
  /** their children */
  readonly parents = new Set<string>()
}

/** Whose eyes it is seen through. */
export interface Viewer {
  /** id of the reality */
  readonly reality: string
  readonly being: BeingName
}

/** The world as one statement found it: what was guessed would be asked for, the hour, and the being's last act. */
export interface Prefetched {
  /** Postgres' clock, ms since 1970 UTC */
  readonly now: number
  readonly lastSealed: { readonly sealedAt: number; readonly primary: string } | null
  /** a source of rows; what was not guessed it reads when it is asked */
  readonly source: ReturnType<typeof sourceOver>
  /** what has been asked of the source so far */
  readonly asked: ReadSet
}

/** One statement, so of one instant; what the source reads beside it is of a later one, unless `db` is a snapshot. */
export async function prefetch(db: Db, onlooker: Viewer, guess: ReadSet): Promise<Prefetched> {
  return prefetchedFrom(
    db,
    onlooker,
    await fetchReadSet(db, onlooker, guess),
    rowSource(db, onlooker.reality),
  )
}

/** Reads the world at one instant: at a glance if everything was guessed, else once more within a transaction. */
export async function readAtOneInstant<T>(
  db: Kysely<ChainDb>,
  onlooker: Viewer,
  guess: ReadSet,
  read: (glance: Prefetched) => Promise<T>,
): Promise<{ seen: T; asked: ReadSet }> {
  const first = prefetchedFrom(db, onlooker, await fetchReadSet(db, onlooker, guess), REFUSES_MORE)
  try {
    return { seen: await read(first), asked: first.asked }
  } catch (error) {
    if (!(error instanceof NotPrefetchedError)) throw error
  }
  return inSnapshot(db, async (tx) => {
    const second = await prefetch(tx, onlooker, first.asked)
    return { seen: await read(second), asked: second.asked }
  })
}

/** Never leaves this file. */
class NotPrefetchedError extends Error {}

/** Where that is read which was not guessed. */
type More = Omit<ReturnType<typeof rowSource>, 'blob'>

const refuse = () => Promise.reject(new NotPrefetchedError())
const REFUSES_MORE: More = {
  rows: refuse,
  keysInPlace: refuse,
  keysOfBeings: refuse,
  keysOfChildren: refuse,
}

interface Fetched {
  readonly now: number
  readonly lastSealed: Prefetched['lastSealed']
  readonly rows: ReadonlyMap<string, SeenRow>
  /** keys by the place, or by the parent, that was guessed */
  readonly inPlace: ReadonlyMap<string, readonly string[]>
  readonly children: ReadonlyMap<string, readonly string[]>
}

function prefetchedFrom(db: Db, onlooker: Viewer, guessed: Fetched, more: More): Prefetched {
  const asked = new ReadSet()
  asked.keys.add(momentsReel(onlooker.being)) // a stamp writes it; it has a head and no row
  return {
    now: guessed.now,
    lastSealed: guessed.lastSealed,
    source: sourceOver(db, guessed, more, asked),
    asked,
  }
}

function sourceOver(db: Db, guessed: Fetched, more: More, asked: ReadSet) {
  return {
    async rows(keys: readonly string[]): Promise<SeenRow[]> {
      for (const key of keys) asked.keys.add(key)
      const missing = keys.filter((key) => !guessed.rows.has(key))
      const found = missing.length === 0 ? [] : await more.rows(missing)
      return [...keys.flatMap((key) => guessed.rows.get(key) ?? []), ...found]
    },
    async keysInPlace(place: string, kind: string): Promise<string[]> {
      asked.places.add(place)
      const known = guessed.inPlace.get(place)?.filter((key) => key.startsWith(kind))
      return known ?? (await more.keysInPlace(place, kind))
    },
    async keysOfChildren(parent: string): Promise<string[]> {
      asked.parents.add(parent)
      return [...(guessed.children.get(parent) ?? (await more.keysOfChildren(parent)))]
    },
    keysOfBeings: () => more.keysOfBeings(),
    blob: (digest: Digest): Promise<Json | null> => getBlobCached(db, digest),
  }
}

/** What one statement answers, a line each: `what` says which columns mean what. */
interface Line {
  readonly what: 'row' | 'place' | 'child' | 'now' | 'sealed'
  readonly key: string
  /** a row's state, the place or the parent a key was found under, the primary role */
  readonly text: string | null
  /** a head's seq, or ms since 1970 UTC */
  readonly number: number | null
  readonly hash: Buffer | null
  readonly state_seq: number | null
}

async function fetchReadSet(db: Db, { reality, being }: Viewer, guess: ReadSet): Promise<Fetched> {
  const keys = [...guess.keys]
  const { rows: lines } = await sql<Line>`
    select 'row' as what, k.key, p.state as text, h.seq as number, h.hash, h.state_seq
      from unnest(${keys}::text[], ${keys.map(reelOfKey)}::text[]) as k(key, reel)
      left join treeos.projection p on p.key = k.key
      left join treeos.head h on h.reel = k.reel
    union all
    (select 'place', key, place, null, null, null from treeos.projection
      where place = any(${[...guess.places]}::text[]) order by key collate "C")
    union all
    (select 'child', key, parent, null, null, null from treeos.projection
      where parent = any(${[...guess.parents]}::text[]) order by key collate "C")
    union all
    select 'now', '', null, (extract(epoch from clock_timestamp()) * 1000)::bigint, null, null
    union all
    (select 'sealed', '', primary_role, sealed_at, null, null from treeos.moment_outcome
      where being = ${being} and kind = 'act' order by n desc limit 1)`.execute(db)
  const of = (what: Line['what']) => lines.filter((line) => line.what === what)
  const [now] = of('now')
  const [sealed] = of('sealed')
  if (now?.number == null) throw new Error('Postgres told no time')
  return {
    now: now.number,
    lastSealed: sealed === undefined ? null : { sealedAt: sealed.number ?? 0, primary: sealed.text ?? '' },
    rows: new Map(
      of('row').map((line) => [line.key, seenRow(reality, { ...line, state: line.text, seq: line.number })]),
    ),
    inPlace: grouped(guess.places, of('place')),
    children: grouped(guess.parents, of('child')),
  }
}

function grouped(wanted: ReadonlySet<string>, lines: readonly Line[]): Map<string, string[]> {
  const groups = new Map<string, string[]>([...wanted].map((name) => [name, []]))
  for (const { key, text } of lines) groups.get(text ?? '')?.push(key)
  return groups
}
