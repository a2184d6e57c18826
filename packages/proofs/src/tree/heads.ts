import { beingReel, momentsReel, type ReelId } from '@treeos/core'
import { genesisHash } from '@treeos/store'
import type { TreeHeads } from './checkpoint.ts'
import { nodeHash } from './hash.ts'
import { type LogEntry, leafHashOf } from './leaf.ts'
import { type NodeReader, proveInclusion, rootOf } from './proofs.ts'

const BEINGS = beingReel('')

/**
 * The tree over the ends of all chains. Each chain has one leaf, which is the leaf of its last entry in the
 * log. A new chain has the next place. The moments of a being have the place behind its reel, with number 0
 * and the hash before the first while there are none. So who is shown that leaf knows that nothing follows,
 * and a being without moments has a leaf that says so.
 */
export class HeadsTree {
  readonly #reality: string
  readonly #places = new Map<ReelId, number>()
  readonly #ends: LogEntry[] = []
  /** hashes of complete subtrees by level, and of level 0 those of leaves */
  readonly #levels: Buffer[][] = [[]]
  /** numbers of leaves that changed after the last hashing */
  readonly #changed = new Set<number>()

  /** @param reality id, from which the hash before the first entry of a chain is made */
  constructor(reality: string) {
    this.#reality = reality
  }

  /** The ends of all chains, by their places. */
  get ends(): readonly LogEntry[] {
    return this.#ends
  }

  /** The end of a chain; undefined for one that the log does not hold. */
  endOf(reel: ReelId): LogEntry | undefined {
    return this.#ends[this.#places.get(reel) ?? -1]
  }

  /** Adds an entry of the log. */
  add(entry: LogEntry): void {
    this.#set(entry)
    if (entry.reel.startsWith(BEINGS)) this.#addMoments(momentsReel(entry.reel.slice(BEINGS.length)))
  }

  #addMoments(reel: ReelId): void {
    if (!this.#places.has(reel)) this.#set({ reel, seq: 0, hash: genesisHash(this.#reality, reel) })
  }

  #set({ reel, seq, hash }: LogEntry): void {
    const place = this.#places.get(reel) ?? this.#ends.length
    this.#places.set(reel, place)
    this.#ends[place] = { reel, seq, hash }
    this.#changed.add(place)
  }

  /** What a checkpoint says of it. */
  head(): TreeHeads {
    return { count: this.#ends.length, root: rootOf(this.#ends.length, this.#hashed()) }
  }

  /**
   * Where the tree holds the end of a chain, which is in it: the hashes that lead to the root, the lowest
   * first.
   */
  prove(reel: ReelId): { index: number; path: Buffer[] } {
    const index = this.#places.get(reel) ?? -1
    return { index, path: proveInclusion(index, this.#ends.length, this.#hashed()) }
  }

  #hashed(): NodeReader {
    const leaves = this.#levels[0] as Buffer[]
    let changed = new Set<number>()
    for (const place of this.#changed) {
      leaves[place] = leafHashOf(this.#ends[place] as LogEntry)
      changed.add(place)
    }
    this.#changed.clear()
    for (let level = 1; changed.size > 0; level++) {
      const below = this.#levels[level - 1] as Buffer[]
      const nodes = this.#levels[level] ?? []
      this.#levels[level] = nodes
      const above = new Set<number>()
      for (const index of changed) {
        const node = index >> 1
        const [left, right] = [below[2 * node], below[2 * node + 1]]
        if (left === undefined || right === undefined || above.has(node)) continue
        nodes[node] = nodeHash(left, right)
        above.add(node)
      }
      changed = above
    }
    return (level, index) => this.#levels[level]?.[index] as Buffer
  }
}
