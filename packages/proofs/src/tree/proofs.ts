import { EMPTY_ROOT, HASH_BYTES, nodeHash } from './hash.ts'

/** The hash of the complete subtree over the `2 ** level` leaves from `index * 2 ** level` on. */
export type NodeReader = (level: number, index: number) => Buffer

/** Root of the first `size` leaves (RFC 6962, 2.1). */
export const rootOf = (size: number, node: NodeReader): Buffer =>
  size === 0 ? EMPTY_ROOT : hashOfRange(0, size, node)

/**
 * The hashes by which a leaf and a root prove that the leaf is in the tree (RFC 6962, 2.1.1), the lowest
 * first.
 * @throws {RangeError} unless 0 ≤ index < size
 */
export function proveInclusion(index: number, size: number, node: NodeReader): Buffer[] {
  if (!isCount(index) || !isCount(size) || index >= size)
    throw new RangeError(`a tree of ${size} has no leaf ${index}`)
  return pathTo(index, 0, size, node)
}

/**
 * The hashes by which two roots prove that the larger tree begins with the smaller one (RFC 6962, 2.1.2).
 * None for an empty tree.
 * @throws {RangeError} unless 0 ≤ from ≤ to
 */
export function proveConsistency(from: number, to: number, node: NodeReader): Buffer[] {
  if (!isCount(from) || !isCount(to) || from > to)
    throw new RangeError(`a tree of ${to} does not begin with one of ${from}`)
  return from === 0 || from === to ? [] : sharedBy(from, 0, to, true, node)
}

/** @param proof of any origin */
export function isIncluded(
  { index, size, leaf, root }: { index: number; size: number; leaf: Buffer; root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (!isCount(index) || !isCount(size) || index >= size || !proof.every(isHash)) return false
  return rootAbove(leaf, index, 0, size, proof)?.equals(root) ?? false
}

/** Whether the second tree begins with the first. @param proof of any origin */
export function isConsistent(
  from: { size: number; root: Buffer },
  to: { size: number; root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (!isCount(from.size) || !isCount(to.size) || from.size > to.size || !proof.every(isHash)) return false
  if (from.size === 0) return proof.length === 0 && from.root.equals(EMPTY_ROOT)
  const roots = rootsAbove(from, 0, to.size, proof)
  if (roots === null) return false
  return roots[0].equals(from.root) && roots[1].equals(to.root)
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0
const isHash = (hash: Buffer): boolean => hash.length === HASH_BYTES

/** The largest power of two below `length`, which is at least 2. */
function splitOf(length: number): number {
  let power = 1
  while (power * 2 < length) power *= 2
  return power
}

function hashOfRange(from: number, to: number, node: NodeReader): Buffer {
  const length = to - from
  if (length === 1) return node(0, from)
  const left = splitOf(length)
  if (left * 2 === length) return node(Math.log2(length), from / length)
  return nodeHash(hashOfRange(from, from + left, node), hashOfRange(from + left, to, node))
}

function pathTo(index: number, from: number, to: number, node: NodeReader): Buffer[] {
  if (to - from === 1) return []
  const middle = from + splitOf(to - from)
  return index < middle
    ? [...pathTo(index, from, middle, node), hashOfRange(middle, to, node)]
    : [...pathTo(index, middle, to, node), hashOfRange(from, middle, node)]
}

/** @param isKnown the verifier has the hash of this range: it is the root of the smaller tree */
function sharedBy(size: number, from: number, to: number, isKnown: boolean, node: NodeReader): Buffer[] {
  if (size === to) return isKnown ? [] : [hashOfRange(from, to, node)]
  const middle = from + splitOf(to - from)
  return size <= middle
    ? [...sharedBy(size, from, middle, isKnown, node), hashOfRange(middle, to, node)]
    : [...sharedBy(size, middle, to, false, node), hashOfRange(from, middle, node)]
}

/** @returns null for a proof of the wrong length */
function rootAbove(
  leaf: Buffer,
  index: number,
  from: number,
  to: number,
  proof: readonly Buffer[],
): Buffer | null {
  const last = proof.at(-1)
  if (to - from === 1) return last === undefined ? leaf : null
  if (last === undefined) return null
  const middle = from + splitOf(to - from)
  const rest = proof.slice(0, -1)
  const isLeft = index < middle
  const below = isLeft ? rootAbove(leaf, index, from, middle, rest) : rootAbove(leaf, index, middle, to, rest)
  if (below === null) return null
  return isLeft ? nodeHash(below, last) : nodeHash(last, below)
}

/** The roots of the smaller and of the larger tree; null for a proof of the wrong length. */
function rootsAbove(
  smaller: { size: number; root: Buffer },
  from: number,
  to: number,
  proof: readonly Buffer[],
): [Buffer, Buffer] | null {
  const last = proof.at(-1)
  if (smaller.size === to) {
    if (from === 0) return last === undefined ? [smaller.root, smaller.root] : null
    return last !== undefined && proof.length === 1 ? [last, last] : null
  }
  if (last === undefined) return null
  const middle = from + splitOf(to - from)
  const rest = proof.slice(0, -1)
  if (smaller.size <= middle) {
    const below = rootsAbove(smaller, from, middle, rest)
    return below === null ? null : [below[0], nodeHash(below[1], last)]
  }
  const below = rootsAbove(smaller, middle, to, rest)
  return below === null ? null : [nodeHash(last, below[0]), nodeHash(last, below[1])]
}
