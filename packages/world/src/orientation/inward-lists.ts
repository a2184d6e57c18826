import type { Entry } from '@treeos/roles'
import { textPattern } from '@treeos/roles'
import type { DroppedEntry } from '../read/expand-surface.ts'
import { CAN_LISTS, type CanLists } from '../rows/lists.ts'

/**
 * Whether an entry means the same whatever the world is: text, a pattern of text, or who woke the being, whom
 * the wake names.
 */
const needsNoWorld = (entry: Entry): boolean =>
  typeof entry === 'string' || textPattern(entry) !== null || ('rel' in entry && entry.rel === 'asker')

/** The lists of a moment that looks inward: what is expanded from the world is left out, and named. */
export function inwardLists(lists: CanLists): { readonly lists: CanLists; readonly dropped: DroppedEntry[] } {
  const dropped: DroppedEntry[] = []
  const kept = Object.fromEntries(
    CAN_LISTS.map((list) => {
      for (const entry of lists[list])
        if (!needsNoWorld(entry)) dropped.push({ list, entry, reason: 'the moment looks inward' })
      return [list, lists[list].filter(needsNoWorld)]
    }),
  ) as unknown as CanLists
  return { lists: kept, dropped }
}
