import { at, isArray, type Json } from './canonical.ts'

/** Who acts where no being does. */
const NOBODY = '$reality'

type ReelTest = (reel: string, payload: Json) => boolean
const isRegistry: ReelTest = (reel) => reel === 'registry'
const isRoot: ReelTest = (reel) => reel === 'space:/'

/** What TreeOS writes without a moment, by kind, and where. */
const KINDS: Readonly<Record<string, ReelTest>> = {
  'role:set': isRegistry,
  'role:deleted': isRegistry,
  'registry:installed': isRegistry,
  'registry:used': isRegistry,
  'being:released': (reel) => reel.startsWith('being:'),
  'approval:expired': (reel) => reel.startsWith('approval:'),
  'signal:published': (reel) => reel === 'world:model',
  'quality:set': (reel, payload) => isRoot(reel, null) && isBudget(payload),
  'reality:made': isRoot,
  'reality:forked': isRoot,
  'reality:restored': isRoot,
}
const isBudget = (payload: Json): boolean => {
  const path = at(payload, 'path')
  return payload === null || (isArray(path) && path[0] === 'budget')
}
/** The first facts of a reality: all of one time. */
const FIRST: ReadonlySet<string> = new Set([
  'being:born',
  'being:bore',
  'space:created',
  'space:opened',
  'space:entered',
])

/**
 * What a fact that no moment wrote is: one of the reality at its beginning, or later; null for one that
 * nobody may have written.
 */
export function momentlessKind(header: Json, payload: Json): 'first' | 'later' | null {
  const isNobodys = ['driver', 'cause', 'stack'].every((field) => (at(header, field) ?? null) === null)
  if (at(header, 'actor') !== NOBODY || !isNobodys) return null
  const kind = String(at(header, 'kind'))
  if (FIRST.has(kind)) return 'first'
  const place = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined
  return place?.(String(at(header, 'reel')), payload) === true ? 'later' : null
}
