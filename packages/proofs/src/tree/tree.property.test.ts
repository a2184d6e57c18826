import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { nodeHash } from './hash.ts'
import {
  isConsistent,
  isIncluded,
  type NodeReader,
  proveConsistency,
  proveInclusion,
  rootOf,
} from './proofs.ts'
import { CompactRange } from './range.ts'
import { extendTiles, openTiles, readerOf, type Tile, tilesFor } from './tiles.ts'

const LEAVES = 3000
const leaves = Array.from({ length: LEAVES }, (_, i) => createHash('sha256').update(`${i}`).digest())
/** The definition: no subtree is stored. */
const node: NodeReader = (level, index) =>
  level === 0
    ? (leaves[index] as Buffer)
    : nodeHash(node(level - 1, 2 * index), node(level - 1, 2 * index + 1))

const size = fc.integer({ min: 1, max: 700 })
const sizeAndIndex = size.chain((n) => fc.tuple(fc.constant(n), fc.nat(n - 1)))

function flipped(hash: Buffer, bit: number): Buffer {
  const copy = Buffer.from(hash)
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7))
  return copy
}

it('a proof of inclusion holds for its leaf alone, and not with any bit changed, or a hash more or less', () => {
  fc.assert(
    fc.property(sizeAndIndex, fc.nat(255), fc.nat(20), ([n, index], bit, at) => {
      const root = rootOf(n, node)
      const leaf = leaves[index] as Buffer
      const proof = proveInclusion(index, n, node)
      const claim = { index, size: n, leaf, root }
      expect(isIncluded(claim, proof)).toBe(true)
      expect(isIncluded({ ...claim, leaf: flipped(leaf, bit) }, proof)).toBe(false)
      expect(isIncluded({ ...claim, root: flipped(root, bit) }, proof)).toBe(false)
      expect(isIncluded({ ...claim, index: n }, proof)).toBe(false)
      expect(isIncluded({ ...claim, index: (index + 1) % (n + 1) }, proof)).toBe(false)
      expect(isIncluded(claim, [...proof, leaf])).toBe(false)
      if (proof.length === 0) return
      expect(isIncluded(claim, proof.slice(1))).toBe(false)
      const changed = proof.with(at % proof.length, flipped(proof[at % proof.length] as Buffer, bit))
      expect(isIncluded(claim, changed)).toBe(false)
    }),
  )
})

it('a proof of consistency holds between its two trees alone', () => {
  fc.assert(
    fc.property(size, size, fc.nat(255), fc.nat(20), (a, b, bit, at) => {
      const [small, large] = [Math.min(a, b), Math.max(a, b)]
      const from = { size: small, root: rootOf(small, node) }
      const to = { size: large, root: rootOf(large, node) }
      const proof = proveConsistency(small, large, node)
      expect(isConsistent(from, to, proof)).toBe(true)
      expect(isConsistent({ ...from, root: flipped(from.root, bit) }, to, proof)).toBe(false)
      expect(isConsistent(from, { ...to, root: flipped(to.root, bit) }, proof)).toBe(false)
      expect(isConsistent(from, to, [...proof, to.root])).toBe(false)
      if (small < large) expect(isConsistent(to, from, proof)).toBe(false)
      if (proof.length === 0) return
      const changed = proof.with(at % proof.length, flipped(proof[at % proof.length] as Buffer, bit))
      expect(isConsistent(from, to, changed)).toBe(false)
      expect(isConsistent(from, to, proof.slice(1))).toBe(false)
    }),
  )
})

it('tiles that grow by batches of any length give the same roots and proofs as all leaves', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 5 }),
      fc.nat(),
      fc.nat(),
      (batches, i, j) => {
        const stored = new Map<string, Tile>()
        const keyOf = ({ level, index }: Pick<Tile, 'level' | 'index'>) => `${level}/${index}`
        const tilesAt = (wanted: readonly Pick<Tile, 'level' | 'index'>[]) =>
          wanted.flatMap((one) => stored.get(keyOf(one)) ?? [])
        const range = new CompactRange()
        let n = 0
        for (const length of batches) {
          const added = leaves.slice(n, n + length)
          for (const tile of extendTiles(n, added, tilesAt(openTiles(n)))) {
            // A tile only grows: what it held stays in its place.
            const before = stored.get(keyOf(tile))?.hashes ?? Buffer.alloc(0)
            expect(tile.hashes.subarray(0, before.length)).toEqual(before)
            stored.set(keyOf(tile), tile)
          }
          for (const leaf of added) range.add(leaf)
          n += added.length
        }
        const read = <T>(what: (reader: NodeReader) => T): T => what(readerOf(tilesAt(tilesFor(what))))
        expect(read((reader) => rootOf(n, reader))).toEqual(range.root())
        expect(range.size).toBe(n)
        const [index, from] = [i % n, 1 + (j % n)]
        expect(read((reader) => proveInclusion(index, n, reader))).toEqual(proveInclusion(index, n, node))
        expect(read((reader) => proveConsistency(from, n, reader))).toEqual(proveConsistency(from, n, node))
      },
    ),
  )
})
