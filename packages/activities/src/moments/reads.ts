import { type BeingName, momentsReel, stanceOf } from '@treeos/core'
import { ReadSet } from '@treeos/store'
import { beingKey } from '@treeos/world'
import { LRUCache } from 'lru-cache'

/** Beings whose last reading is remembered. */
const BEINGS_MAX = 5000

/**
 * What beings read last, to fetch it at once the next time. A being that this process has not seen read is expected to read what
 * the last one read, with its own name in place of the other's: in a crowd that is nearly always so. A wrong prediction only costs
 * round trips.
 */
export class Reads {
  readonly #last = new LRUCache<BeingName, ReadSet>({ max: BEINGS_MAX })
  #latest: { readonly being: BeingName; readonly reads: ReadSet } | null = null

  remember(being: BeingName, reads: ReadSet): void {
    this.#last.set(being, reads)
    this.#latest = { being, reads }
  }

  /** @returns a read set that the caller may add to */
  expect(being: BeingName): ReadSet {
    const own = this.#last.get(being)
    const expected = new ReadSet()
    if (own !== undefined) expected.add(own)
    else if (this.#latest !== null) addInPlaceOf(expected, this.#latest, being)
    return expected
  }
}

/** Adds what another being read, as if this one had read it. */
function addInPlaceOf(
  expected: ReadSet,
  { being: other, reads }: { readonly being: BeingName; readonly reads: ReadSet },
  being: BeingName,
): void {
  const own = new Map([
    [beingKey(other), beingKey(being)],
    [momentsReel(other), momentsReel(being)],
  ])
  const placeOf = (place: string) => (place === stanceOf(other) ? stanceOf(being) : place)
  for (const key of reads.keys) expected.keys.add(own.get(key) ?? key)
  for (const list of reads.lists.values()) expected.list({ ...list, place: placeOf(list.place) })
  for (const counted of reads.counts.values()) expected.count({ ...counted, place: placeOf(counted.place) })
  for (const parent of reads.parents) expected.parents.add(parent === other ? being : parent)
  for (const part of reads.asides) expected.asides.add(part)
  for (const one of reads.wore) expected.wore.add(one)
}
