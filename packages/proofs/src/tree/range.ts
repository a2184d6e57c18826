import { EMPTY_ROOT, nodeHash } from './hash.ts'

/**
 * The roots of the complete subtrees of a tree, from the left: all that is needed to add leaves and to tell
 * the root.
 */
export class CompactRange {
  readonly #roots: Buffer[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  add(leaf: Buffer): void {
    let hash = leaf
    // As in binary counting: each 1 at the end of the size is a subtree that is as large as the one that is
    // added.
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2) {
      const left = this.#roots.pop()
      if (left === undefined) throw new Error(`a range of ${this.#size} lost a subtree`)
      hash = nodeHash(left, hash)
    }
    this.#roots.push(hash)
    this.#size += 1
  }

  root(): Buffer {
    return this.#roots.length === 0
      ? EMPTY_ROOT
      : this.#roots.reduceRight((right, left) => nodeHash(left, right))
  }
}
