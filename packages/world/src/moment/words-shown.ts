import type { Cognition } from '@treeos/core'
import type { Entry, RoleSpec } from '@treeos/roles'
import { CAN_LISTS, SUBSTRATE_VIEWS, type SubstrateView } from '../rows/lists.ts'

/**
 * Of which rows a stack shows the qualities to who decides, beside the being itself: of its place, or of
 * anything, where code of an extension makes a view or an entry of a list. Both verifiers ask the same of a
 * record, so specs alone tell it.
 * @param specs of the stack, primary first
 */
export function wordsShown(specs: readonly RoleSpec[], cognition: Cognition): 'all' | 'place' | 'none' {
  if (specs.some(isOfCode)) return 'all'
  // Scripts and prompts that are code get the face, which has the qualities of the place.
  const getsFace = cognition === 'scripted' || specs.some(({ prompt }) => typeof prompt === 'object')
  const isViewed = specs[0]?.views !== 'only' || specs.some(({ see }) => see.includes(PLACE))
  return getsFace || isViewed ? 'place' : 'none'
}

const PLACE: SubstrateView = 'place'

const VIEWS: ReadonlySet<string> = new Set(SUBSTRATE_VIEWS)

/** Entries of lists that TreeOS itself expands. They read no qualities. */
const TOKENS: ReadonlySet<string> = new Set([
  ...['self', 'asker', 'parent', 'here', 'present', 'any-child', 'predecessor'],
  ...['configuring', 'configurators', 'company', 'walked-to'],
])

/** A role of an extension may mean a view of that extension by the name of one of TreeOS. */
const isOfCode = (spec: RoleSpec): boolean =>
  spec.see.some((view) => spec.name.includes(':') || !VIEWS.has(view)) ||
  CAN_LISTS.some((list) => spec[list].some(isExpandedByCode))

function isExpandedByCode(entry: Entry): boolean {
  if (typeof entry === 'string') return false
  if ('pattern' in entry) return entry.kind !== undefined
  return !TOKENS.has('rel' in entry ? entry.rel : entry.resolver)
}
