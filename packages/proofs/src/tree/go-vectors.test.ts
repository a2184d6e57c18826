import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { checkpointText, openCheckpoint } from './checkpoint.ts'
import { nodeHash } from './hash.ts'
import { leafHashOf } from './leaf.ts'
import { type NoteSigner, readSigner, readVerifier, signNote, verifierKeyOf } from './note.ts'
import {
  isConsistent,
  isIncluded,
  type NodeReader,
  proveConsistency,
  proveInclusion,
  rootOf,
} from './proofs.ts'
import { CompactRange } from './range.ts'

// What golang.org/x/mod/sumdb computes for the same leaves: `packages/proofs/test/go-tlog` makes the file.
const SIZES = 1025
const SAMPLES = 16
const RANDOMS = 2000
const LEAVES = 100_000
const vectors = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../test/go-tlog/vectors.json'), 'utf8'),
) as Record<'roots' | 'inclusion' | 'consistency' | 'random' | 'note', string>

const sha256 = (...parts: (string | Buffer)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()
const short = (hash: Buffer) => hash.subarray(0, 9).toString('base64')
const digest = (proof: readonly Buffer[]) => short(sha256(...proof))

const levels: Buffer[][] = []
const node: NodeReader = (level, index) => levels[level]?.[index] ?? Buffer.alloc(0)
const leafAt = (index: number) => node(0, index)

beforeAll(() => {
  levels.push(
    Array.from({ length: LEAVES }, (_, i) =>
      leafHashOf({ reel: 'being:ada', seq: i + 1, hash: sha256(String(i)) }),
    ),
  )
  for (let below = levels[0] ?? []; below.length > 1; below = levels.at(-1) ?? [])
    levels.push(
      Array.from({ length: below.length >> 1 }, (_, i) =>
        nodeHash(below[2 * i] as Buffer, below[2 * i + 1] as Buffer),
      ),
    )
})

it(`roots and proofs of all trees of 0 to ${SIZES} leaves are those of Go's sumdb/tlog`, () => {
  const told = { roots: '', inclusion: '', consistency: '' }
  const range = new CompactRange()
  for (let size = 0; size <= SIZES; size++) {
    const root = rootOf(size, node)
    expect(range.root()).toEqual(root)
    told.roots += short(root)
    const proofs = { inclusion: [] as Buffer[], consistency: [] as Buffer[] }
    for (let i = 0; i < Math.min(SAMPLES, size); i++) {
      const index = size < SAMPLES ? i : Math.floor((i * size) / SAMPLES)
      const inclusion = proveInclusion(index, size, node)
      expect(isIncluded({ index, size, leaf: leafAt(index), root }, inclusion)).toBe(true)
      proofs.inclusion.push(...inclusion)
      const from = { size: index + 1, root: rootOf(index + 1, node) }
      const consistency = proveConsistency(from.size, size, node)
      expect(isConsistent(from, { size, root }, consistency)).toBe(true)
      proofs.consistency.push(...consistency)
    }
    told.inclusion += digest(proofs.inclusion)
    told.consistency += digest(proofs.consistency)
    range.add(leafAt(size))
  }
  expect(told).toEqual({
    roots: vectors.roots,
    inclusion: vectors.inclusion,
    consistency: vectors.consistency,
  })
})

it(`so are those of ${RANDOMS} random trees of up to ${LEAVES} leaves`, () => {
  const told = Array.from({ length: RANDOMS }, (_, i) => {
    const random = sha256(`tree ${i}`)
    const size = 1 + (random.readUInt32BE(0) % LEAVES)
    const index = random.readUInt32BE(4) % size
    const from = 1 + (random.readUInt32BE(8) % size)
    const root = rootOf(size, node)
    const inclusion = proveInclusion(index, size, node)
    const consistency = proveConsistency(from, size, node)
    expect(isIncluded({ index, size, leaf: leafAt(index), root }, inclusion)).toBe(true)
    expect(isConsistent({ size: from, root: rootOf(from, node) }, { size, root }, consistency)).toBe(true)
    return digest([root, ...inclusion, ...consistency])
  })
  expect(told.join('')).toBe(vectors.random)
})

it("a checkpoint with two signatures is the note that Go's sumdb/note signs, and is read again", () => {
  const [one, two] = [keyFrom('one'), keyFrom('two')]
  const head = { size: SIZES, root: rootOf(SIZES, node) }
  expect(signNote(checkpointText('treeos/test', head), [one, two])).toBe(vectors.note)
  for (const key of [one, two])
    expect(openCheckpoint(vectors.note, 'treeos/test', [readVerifier(verifierKeyOf(key))])).toMatchObject(
      head,
    )
})

function keyFrom(secret: string): NoteSigner {
  const seed = sha256(secret)
  const body = (id: string) =>
    `PRIVATE+KEY+treeos/test+${id}+${Buffer.concat([Buffer.of(1), seed]).toString('base64')}`
  const id = /^— treeos\/test (\S+)$/gm
  const ids = [...vectors.note.matchAll(id)].map(([, line]) =>
    Buffer.from(line ?? '', 'base64').toString('hex', 0, 4),
  )
  return readSigner(body(ids[secret === 'one' ? 0 : 1] ?? ''))
}
