import { FACETS, type Facet, type WantedFacets } from './facets.ts'
import { GROUPS, type InboxGroup } from './kinds.ts'

export type InboxOrder = 'newest' | 'oldest'

/** What the address of the inbox names, so that what one sees can be sent to others. */
export interface InboxPlace extends WantedFacets {
  /** the correlation of the entry that is open */
  readonly entry?: string | undefined
  readonly in?: InboxGroup | undefined
  /** words that are searched */
  readonly q?: string | undefined
  readonly order?: InboxOrder | undefined
}

const FACET_NAMES = Object.keys(FACETS) as Facet[]

/** @param search what follows the `?` of an address, of which anything may be written by hand */
export function placeIn(search: Record<string, unknown>): InboxPlace {
  const { in: group, order } = search
  const texts = ['entry', 'q', ...FACET_NAMES].flatMap((name) =>
    typeof search[name] === 'string' && search[name] !== '' ? [[name, search[name]]] : [],
  )
  return {
    ...Object.fromEntries(texts),
    ...(GROUPS.some((one) => one === group) ? { in: group as InboxGroup } : {}),
    ...(order === 'newest' || order === 'oldest' ? { order } : {}),
  }
}

export const facetsOf = (place: InboxPlace): WantedFacets =>
  Object.fromEntries(
    FACET_NAMES.flatMap((facet) => (place[facet] === undefined ? [] : [[facet, place[facet]]])),
  )

/** A place in which other facets are wanted. */
export const withFacets = (place: InboxPlace, facets: WantedFacets): InboxPlace => ({
  ...place,
  ...Object.fromEntries(FACET_NAMES.map((facet) => [facet, facets[facet]])),
})
