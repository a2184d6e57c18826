import { ASIDE_BOUNDS, type BeingName, reelOfKey } from '@treeos/core'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import { type AsideAsked, type AsidePart, asideOf, type FetchedAside } from './aside.ts'
import type { ReadingBeing, ReadSetItem } from './read-set-items.ts'
import { type SeenRow, seenRow } from './rows.ts'

/**
 * What one reading of the world asked for. The next reading for the same purpose fetches all of it in one
 * statement, because beings mostly read what they read before. A wrong prediction only costs round trips.
 */
export class ReadSet implements AsideAsked {
  /** keys of rows */
  readonly keys = new Set<string>()
  /** lists of what lies in a place, by place and kind; each may have a bound */
  readonly lists = new Map<string, ListedPlace>()
  /** what was counted in a place, by place and kind */
  readonly counts = new Map<string, CountedPlace>()
  /** beings whose children were listed */
  readonly parents = new Set<string>()
  /** parts beside rows */
  readonly asides = new Set<AsidePart>()
  /** beings whose last role was asked for */
  readonly wore = new Set<BeingName>()

  /** Asks for a list; the largest bound counts. */
  list(asked: ListedPlace): void {
    const name = placeName(asked)
    const before = this.lists.get(name)?.most
    const most = before === null || asked.most === null ? null : Math.max(before ?? 0, asked.most)
    this.lists.set(name, { ...asked, most })
  }

  count(asked: CountedPlace): void {
    this.counts.set(placeName(asked), asked)
  }

  /** Adds all of another read set, except keys that `isLeftOut` names. */
  add(other: ReadSet, isLeftOut: (key: string) => boolean = () => false): void {
    for (const key of other.keys) if (!isLeftOut(key)) this.keys.add(key)
    for (const list of other.lists.values()) this.list(list)
    for (const counted of other.counts.values()) this.count(counted)
    for (const parent of other.parents) this.parents.add(parent)
    for (const part of other.asides) this.asides.add(part)
    for (const being of other.wore) this.wore.add(being)
  }
}

/** What lies in a place, of one kind. */
export interface CountedPlace {
  readonly place: string
  /** prefix of the keys, as in `being:` */
  readonly kind: string
}

export interface ListedPlace extends CountedPlace {
  /** only the first of them; null: all */
  readonly most: number | null
}

export const placeName = ({ place, kind }: CountedPlace): string => `${kind}${place}`

/** The rows and lists of a read set, the time, and the being's last act, all at one instant. */
export interface FetchedReadSet {
  /** Postgres' clock, ms since 1970 UTC */
  readonly now: number
  readonly lastSealed: { readonly sealedAt: number; readonly primary: string } | null
  readonly rows: ReadonlyMap<string, SeenRow>
  /** the lists of the read set, sorted, with their bounds */
  readonly lists: ReadonlyMap<string, { readonly keys: readonly string[]; readonly most: number | null }>
  readonly counts: ReadonlyMap<string, number>
  /** keys of the children of each parent of the read set */
  readonly children: ReadonlyMap<string, readonly string[]>
  readonly aside: FetchedAside
}

export async function fetchReadSet(db: Db, viewer: ReadingBeing, readSet: ReadSet): Promise<FetchedReadSet> {
  const { being, wake } = viewer
  const { rows } = await sql<ReadSetItem>`
    select * from treeos.read_set(${being}, ${wake?.id ?? null}, ${wake?.root ?? null}, ${readSetArguments(readSetLists(readSet))})`.execute(
    db,
  )
  return fetchedOf(viewer.reality, readSet, rows)
}

/** The arguments of SQL functions that say what to read, in their order. */
export interface ReadSetLists {
  readonly keys: readonly string[]
  /** of the keys */
  readonly reels: readonly string[]
  readonly places: readonly string[]
  readonly parents: readonly string[]
  readonly asides: readonly string[]
  readonly wore: readonly string[]
  readonly bounds: readonly number[]
}

export function readSetLists({ keys, lists, counts, parents, asides, wore }: ReadSet): ReadSetLists {
  const places = [
    ...[...lists.values()].map(({ kind, place, most }) => `${kind} ${most ?? 'all'} ${place}`),
    ...[...counts.values()].map(({ kind, place }) => `${kind} count ${place}`),
  ]
  const rows = [...keys]
  return {
    keys: rows,
    reels: rows.map(reelOfKey),
    places,
    parents: [...parents],
    asides: [...asides],
    wore: [...wore],
    bounds: BOUNDS,
  }
}

export const readSetArguments = (lists: ReadSetLists): RawBuilder<unknown> =>
  sql`${texts(lists.keys)}::text[], ${texts(lists.reels)}::text[], ${texts(lists.places)}::text[], ${texts(lists.parents)}::text[],
    ${texts(lists.asides)}::text[], ${texts(lists.wore)}::text[], ${lists.bounds}::integer[]`

/**
 * An array as Postgres writes it, where no item needs an escape: `pg` looks for that in each item, and a
 * crowded place has hundreds.
 */
const texts = (items: readonly string[]): readonly string[] | string =>
  items.length === 0 || items.some((item) => NEEDS_ESCAPE.test(item)) ? items : `{"${items.join('","')}"}`
const NEEDS_ESCAPE = /["\\]/

const { saidMax, didMax, wakesMax, threadsMax } = ASIDE_BOUNDS
const BOUNDS = [saidMax, didMax, wakesMax, threadsMax]

export function fetchedOf(reality: string, readSet: ReadSet, lines: readonly ReadSetItem[]): FetchedReadSet {
  const byWhat = Map.groupBy(lines, ({ what }) => what)
  const of = (what: ReadSetItem['what']) => byWhat.get(what) ?? []
  const [now] = of('now')
  const [sealed] = of('sealed')
  if (now?.number == null) throw new Error('the read set query returned no time')
  return {
    now: now.number,
    lastSealed: sealed === undefined ? null : { sealedAt: sealed.number ?? 0, primary: sealed.text ?? '' },
    rows: new Map(of('row').map((line) => [line.key, seenRow(reality, line)])),
    lists: listedPlaces(readSet, of('list')),
    counts: new Map(of('count').map(({ key, number }) => [key, number ?? 0])),
    children: grouped(readSet.parents, of('child')),
    aside: asideOf(of),
  }
}

/** Reads parts beside rows by themselves, for a reading that asks for what was not predicted. */
export async function queryAside(
  db: Db,
  viewer: ReadingBeing,
  { asides, wore }: AsideAsked,
): Promise<FetchedAside> {
  const asked = new ReadSet()
  for (const part of asides) asked.asides.add(part)
  for (const being of wore) asked.wore.add(being)
  return (await fetchReadSet(db, viewer, asked)).aside
}

function listedPlaces(readSet: ReadSet, lines: readonly ReadSetItem[]): FetchedReadSet['lists'] {
  const keys = grouped(new Set(readSet.lists.keys()), lines)
  return new Map(
    [...readSet.lists].map(([name, { most }]) => [name, { keys: (keys.get(name) ?? []).sort(), most }]),
  )
}

/** Keys by the name they were found under; a name without keys has an empty list. */
function grouped(names: ReadonlySet<string>, lines: readonly ReadSetItem[]): Map<string, string[]> {
  const groups = new Map<string, string[]>([...names].map((name) => [name, []]))
  for (const { key, text } of lines) groups.get(text ?? '')?.push(key)
  return groups
}
