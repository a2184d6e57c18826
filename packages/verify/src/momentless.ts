import { at, isArray, type Json } from './canonical.ts'

/** Who acts where no being does. */
const NOBODY = '$reality'

type ReelTest = (reel: string, payload: Json) => boolean
const isRegistry: ReelTest = (reel) => reel === 'registry'
/** Of an extension, whose name its name begins with, or of TreeOS itself: beings write the others. */
const isBrought: ReelTest = (reel, payload) => {
  const [name, origin] = [String(at(payload, 'name')), at(payload, 'origin')]
  const isNamed = origin === 'seed' ? !name.includes(':') : name.startsWith(`${origin}:`)
  return isRegistry(reel, null) && (payload === null || isNamed)
}
const isRoot: ReelTest = (reel) => reel === 'space:/'

/** What TreeOS writes without a moment, by kind, and where. */
const KINDS: Readonly<Record<string, ReelTest>> = {
  'role:set': isBrought,
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
const isAnywhere: ReelTest = () => true
/** The operator is the one person, and the one without a maker, that nobody gave birth to. */
const isFirstBeing: ReelTest = (reel, payload) => {
  const isOperator = reel === 'being:operator'
  const isPerson = at(at(payload, 'cognition'), 'kind') === 'human'
  return payload === null || (isPerson === isOperator && (at(payload, 'parent') === null) === isOperator)
}
/** The first facts of a reality: all of one time. */
const FIRST: Readonly<Record<string, ReelTest>> = {
  'being:born': isFirstBeing,
  'being:bore': isAnywhere,
  'space:created': isAnywhere,
  'space:opened': isAnywhere,
  'space:entered': isAnywhere,
}

/** Takes all facts of a file, each reel in order, and tells those that no moment wrote. */
export class MomentlessFacts {
  /** reels on which a moment wrote: what is of the beginning stands before */
  readonly #lived = new Set<string>()
  /** roles that beings wrote: TreeOS sets and deletes none of these by itself */
  readonly #written = new Set<string>()

  /**
   * @returns whether it is one of the reality at its beginning, or later, or a moment wrote it; null for one that
   *   nobody may have written
   */
  take(header: Json, payload: Json): 'of-moment' | 'first' | 'later' | null {
    const [kind, reel] = [String(at(header, 'kind')), String(at(header, 'reel'))]
    const role = kind.startsWith('role:') ? at(payload, 'name') : undefined
    if (typeof at(header, 'moment') === 'string') {
      this.#lived.add(reel)
      if (typeof role === 'string') this.#written.add(role)
      return 'of-moment'
    }
    const isNobodys = ['driver', 'cause', 'stack'].every((field) => (at(header, field) ?? null) === null)
    if (at(header, 'actor') !== NOBODY || !isNobodys) return null
    const first = Object.hasOwn(FIRST, kind) ? FIRST[kind] : undefined
    if (first !== undefined) return first(reel, payload) && !this.#lived.has(reel) ? 'first' : null
    const place = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined
    const isOfBeing = typeof role === 'string' && this.#written.has(role)
    return place?.(reel, payload) === true && !isOfBeing ? 'later' : null
  }
}
