import type { SpacePath } from '@treeos/core'
import { entryKey } from '@treeos/roles'
import { CAN_LISTS, type CanLists, coversEntry } from '@treeos/world'
import type { Ceiling } from './shape.ts'

/**
 * What two ceilings allow together. Where neither of two patterns holds the other, both are left out, so it
 * is never wider than either.
 * @param a null adds no bound
 * @param home of the being, for the entry `~`
 */
export function meetOf(a: CanLists | null, b: CanLists | null, home: SpacePath): CanLists | null {
  if (a === null || b === null) return a ?? b
  const both = CAN_LISTS.map((list) => {
    const kept = [
      ...a[list].filter((entry) => coversEntry(list, b[list], entry, home)),
      ...b[list].filter((entry) => coversEntry(list, a[list], entry, home)),
    ]
    return [list, [...new Map(kept.map((entry) => [entryKey(entry), entry])).values()]] as const
  })
  return Object.fromEntries(both) as unknown as CanLists
}

/** Whether the first ceiling allows nothing that the second does not. */
export function isWithin(a: CanLists | null, b: CanLists | null, home: SpacePath): boolean {
  if (b === null) return true
  if (a === null)
    return CAN_LISTS.every((list) => b[list].some((entry) => entryKey(entry) === '{"pattern":"*"}'))
  return CAN_LISTS.every((list) => a[list].every((entry) => coversEntry(list, b[list], entry, home)))
}

/** In a file, entries stand in the order of their text. */
export function inFile(lists: CanLists): Ceiling {
  const sorted = CAN_LISTS.map((list) => [
    list,
    [...lists[list]].sort((a, b) => (entryKey(a) < entryKey(b) ? -1 : entryKey(a) > entryKey(b) ? 1 : 0)),
  ])
  return Object.fromEntries(sorted) as Ceiling
}
