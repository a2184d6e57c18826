import { isArray, isObject, type Json, type JsonObject } from '../canonical.ts'
import type { SignedCheckpoint } from '../checkpoint.ts'
import { isIncluded } from '../hash.ts'

/**
 * What a bundle says that it holds: all, or the moments of one being from `since` to `until`; null: to its
 * newest.
 */
export type BundleCover =
  | { readonly all: true }
  | { readonly being: string; readonly since: number; readonly until: number | null }

type CoverLink = readonly [seq: number, hash: string]
/** A chain of facts, or of a being's moments. */
export interface Chain {
  readonly line: number
  readonly from: number
  /** its last link, as its head says */
  readonly end: CoverLink
  /** its last link so far */
  last: CoverLink
  /** the last link that the tree of a checkpoint holds */
  covered: number
  /** the checkpoint says that the chain ends there */
  isEnd: boolean
}

/** A fact on a reel that is not in the bundle as a whole, until something shows why it is there. */
export interface LooseFact {
  readonly hash: string
  /** it says that another fact was erased */
  readonly isTombstone: boolean
  /** the log holds it */
  isProven: boolean
}

export const momentsOf = (being: string): string => `moments:${being}`

/** Reads the scope of a manifest. @returns null for anything but a scope */
export function readScope(scope: unknown): BundleCover | null {
  if (!isObject(scope)) return null
  const fields = Object.keys(scope).sort().join(' ')
  if (fields === 'all') return scope.all === true ? { all: true } : null
  const { being, since, until = null } = scope
  const isRange =
    Number.isSafeInteger(since) && Number(since) > 0 && (until === null || Number.isSafeInteger(until))
  if (fields !== 'being since until' || typeof being !== 'string' || !isRange) return null
  return { being, since: Number(since), until: until === null ? null : Number(until) }
}

/** Whether a chain may begin there in a bundle of this scope. */
export function mayBegin(scope: BundleCover, reel: string, from: number): boolean {
  if ('all' in scope) return from === 0
  return reel === `being:${scope.being}`
    ? from === 0
    : reel === momentsOf(scope.being) && from === scope.since - 1
}

export type FaultReporter = (holds: boolean, reason: string, what: string) => boolean

/** Takes the proof of one link of a chain, or of a tombstone. */
export function takeProof(
  { in: tree, index, leaf = null, path }: JsonObject,
  checkpoint: SignedCheckpoint,
  found: {
    readonly chain: Chain | undefined
    readonly loose: LooseFact | undefined
    readonly hash: string | undefined
  },
  need: FaultReporter,
): void {
  const [, seq, hash] = refOf(leaf)
  const { chain, loose } = found
  const isHere = found.hash !== undefined && found.hash === hash
  if (!need(isHere, 'proof-mismatch', 'it is a proof of something that is not in the bundle')) return
  const isFirst = chain === undefined ? loose?.isProven === false : chain.covered < 0
  if (!need(isFirst, 'proof-mismatch', 'it is the second proof of its chain, or of what needs none')) return
  const held = tree === 'log' ? checkpoint : tree === 'heads' ? checkpoint.heads : null
  const isIn =
    held !== null &&
    isArray(path) &&
    isIncluded(leaf, index as number, path as string[], held.size, held.root)
  if (!need(isIn, 'proof-mismatch', 'the tree of the checkpoint does not hold it')) return
  if (chain !== undefined) Object.assign(chain, { covered: Number(seq), isEnd: tree === 'heads' })
  else if (loose !== undefined) loose.isProven = true
}

/** The chain, number and hash in a leaf of the log. */
export function refOf(leaf: Json): readonly [reel: string, seq: Json, hash: Json] {
  const [kind, ref] = isObject(leaf) ? (Object.entries(leaf)[0] ?? []) : []
  const isLeaf = isObject(leaf) && Object.keys(leaf).length === 1 && isArray(ref) && ref.length === 3
  if (!isLeaf) return ['', null, null]
  const [name, seq = null, hash = null] = ref
  return [kind === 'record' ? momentsOf(String(name)) : kind === 'fact' ? String(name) : '', seq, hash]
}

interface CoveredLines {
  readonly reality: string
  readonly scope: BundleCover | null
  readonly chains: ReadonlyMap<string, Chain>
  readonly tombstones: readonly LooseFact[]
  readonly checkpoint: SignedCheckpoint | null
}

/** What is not in a bundle although its scope or its checkpoint says so. */
export function* missingFrom({
  scope,
  chains,
  checkpoint,
}: CoveredLines): Generator<[reason: string, what: string, on: string]> {
  if (scope === null) return // that is reported
  if ('all' in scope) {
    const links = [...chains.values()].reduce((sum, { end }) => sum + end[0], 0)
    const cut = checkpoint === null ? 0 : checkpoint.size - links
    const gone = (checkpoint?.heads?.size ?? 0) - chains.size
    if (cut > 0 || gone > 0)
      yield [
        'checkpoint-mismatch',
        `it covers ${checkpoint?.size} entries, ${links} are here: a chain is gone or cut`,
        'all',
      ]
    return
  }
  const { being, since, until } = scope
  for (const reel of [`being:${being}`, momentsOf(being)])
    if (!chains.has(reel))
      yield ['scope-mismatch', `it says that it is of @${being}, and ${reel} is not here`, reel]
  const [last] = chains.get(momentsOf(being))?.end ?? [0]
  if (until !== null && last > until)
    yield [
      'scope-mismatch',
      `it says that it ends with moment ${until}, and ${last} is here`,
      momentsOf(being),
    ]
  if (until !== null && until < since)
    yield ['scope-mismatch', 'it says that it ends before it begins', momentsOf(being)]
}

/** What no proof shows although one could. */
export function* uncoveredIn({ scope, chains, tombstones, checkpoint }: CoveredLines): Generator<string> {
  if (checkpoint === null) {
    yield 'it has no checkpoint: whoever made the bundle could have made all of it up, or left its end off'
    return
  }
  const all = [...chains]
  const bare = all.reduce((sum, [, { covered, from, end }]) => sum + end[0] - Math.max(covered, from), 0)
  const empty = all.filter(([, { covered, end }]) => end[0] === 0 && covered < 0).length
  if (empty > 0) yield `of ${empty} chains no proof shows that they are empty`
  if (bare > 0) yield `of ${bare} facts and moments no proof shows that the checkpoint holds them`
  const forged = tombstones.filter(({ isProven }) => !isProven).length
  if (forged > 0) yield `of ${forged} tombstones no proof shows that the checkpoint holds them`
  if (scope === null || 'all' in scope) return // the sum of the chains is the size of the log
  for (const [reel, { isEnd, covered, end }] of all) {
    const isCut = reel === momentsOf(scope.being) && end[0] === scope.until
    if (!isCut && !(isEnd && covered === end[0])) yield `that nothing follows on ${reel} is not proven`
  }
}

/** How many links the checkpoint covers. */
export const coveredBy = (chains: Iterable<Chain>): number =>
  [...chains].reduce((sum, { covered, from }) => sum + Math.max(covered - Math.max(from, 0), 0), 0)
