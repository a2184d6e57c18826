import type { PastEntries, PastEntry, PlaceChange, RetracedMoment } from '@treeos/client'
import type { Floor, MapSpot } from '../map/plan.ts'
import { inNameOrder } from '../text/by-name.ts'

/**
 * Where something was, what a being wore, and what it said last: all that is known of it after one entry of
 * the record.
 */
export interface TrackPoint {
  readonly key: string
  readonly place: string | null
  readonly coord: MapSpot | null
  readonly size: MapSpot | null
  readonly floors: Readonly<Record<string, Floor | null>>
  readonly spots: Readonly<Record<string, MapSpot | null>>
  readonly isEnded: boolean
  /** number of its last moment; 0 before the first */
  readonly n: number
  /** digest of the stack of that moment; null before the first, and where it wore no role */
  readonly stack: string | null
  readonly words: string | null
}

type Stack = PastEntries['stacks'][string]
type Step = Pick<PastEntry, 'entry' | 'at' | 'moment'>

/**
 * The record as it came, page by page, so that the world after any entry is found without going through those
 * before: each thing keeps its states in order, and a position looks one up for each by binary search.
 */
export class Track {
  readonly #traces = new Map<string, { readonly entry: number; readonly trace: TrackPoint }[]>()
  /** the keys in the order of names; null where one came since */
  #keys: readonly string[] | null = null
  readonly #steps: Step[] = []
  readonly #stacks = new Map<string, Stack>()
  /** the last entry that was loaded, and the last one that there is */
  upTo = 0
  newest = 0

  take({ entries, stacks, upTo, newest }: PastEntries): void {
    for (const [digest, stack] of Object.entries(stacks)) this.#stacks.set(digest, stack)
    for (const { entry, at, moment, placings, said } of entries) {
      if (entry <= this.upTo) continue
      this.#steps.push({ entry, at, moment })
      for (const placing of placings) this.#change(entry, placing.key, (trace) => placed(trace, placing))
      for (const { being, words } of said)
        this.#change(entry, `being:${being}`, (trace) => ({ ...trace, words }))
      if (moment !== null) this.#change(entry, `being:${moment.being}`, (trace) => worn(trace, moment))
    }
    this.upTo = upTo
    this.newest = Math.max(newest, upTo)
  }

  #change(entry: number, key: string, change: (trace: TrackPoint) => TrackPoint): void {
    const states = this.#traces.get(key) ?? []
    if (states.length === 0) {
      this.#traces.set(key, states)
      this.#keys = null
    }
    const last = states.at(-1)
    const next = { entry, trace: change(last?.trace ?? { ...UNKNOWN_POINT, key }) }
    if (last?.entry === entry) states[states.length - 1] = next
    else states.push(next)
  }

  /** All that was known after this entry, in the order of names. */
  at(position: number): TrackPoint[] {
    const found: TrackPoint[] = []
    this.#keys ??= inNameOrder(this.#traces.keys(), (key) => key)
    for (const key of this.#keys) {
      const states = this.#traces.get(key) ?? []
      const index = countUpTo(states, position) - 1
      const state = states[index]
      if (state !== undefined) found.push(state.trace)
    }
    return found
  }

  stack(digest: string | null): Stack | null {
    return digest === null ? null : (this.#stacks.get(digest) ?? null)
  }

  /** The last entry up to a position in which something shows; null before the first one. */
  stepAt(position: number): Step | null {
    return this.#steps[countUpTo(this.#steps, position) - 1] ?? null
  }

  /**
   * The next position at which something changes; 0 is the beginning. Null past the end of what was loaded.
   */
  next(position: number): number | null {
    return this.#steps[countUpTo(this.#steps, position)]?.entry ?? null
  }

  /** The position before; null at the beginning. */
  previous(position: number): number | null {
    if (position <= 0) return null
    return this.#steps[countUpTo(this.#steps, position - 1) - 1]?.entry ?? 0
  }
}

const UNKNOWN_POINT: TrackPoint = {
  key: '',
  place: null,
  coord: null,
  size: null,
  floors: {},
  spots: {},
  isEnded: false,
  n: 0,
  stack: null,
  words: null,
}

const placed = (trace: TrackPoint, { key: _same, floors, spots, ...fields }: PlaceChange): TrackPoint => ({
  ...trace,
  ...fields,
  ...(floors === undefined ? {} : { floors: { ...trace.floors, ...floors } }),
  ...(spots === undefined ? {} : { spots: { ...trace.spots, ...spots } }),
})

const worn = (trace: TrackPoint, { n, stack }: RetracedMoment): TrackPoint => ({ ...trace, n, stack })

/** How many items have an entry of at most `position`. @param items sorted by entry */
function countUpTo(items: readonly { readonly entry: number }[], position: number): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((items[middle]?.entry ?? 0) <= position) low = middle + 1
    else high = middle
  }
  return low
}
