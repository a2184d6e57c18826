import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { expect, it } from 'vitest'
import { verifyFollows } from './follow.ts'
import { isConsistent } from './hash.ts'
import { parseKey } from './signature.ts'

// The tree and its proofs as RFC 6962 defines them in 2.1, word by word.
const SIZES = 70
const sha256 = (...parts: Uint8Array[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()
const leaves = Array.from({ length: SIZES }, (_, i) => sha256(Buffer.of(0), Buffer.from(String(i))))
const split = (n: number): number => 2 ** Math.ceil(Math.log2(n) - 1)
function rootOf(some: readonly Buffer[]): Buffer {
  if (some.length <= 1) return some[0] ?? sha256()
  const k = split(some.length)
  return sha256(Buffer.of(1), rootOf(some.slice(0, k)), rootOf(some.slice(k)))
}
function subProof(m: number, some: readonly Buffer[], isKnown: boolean): Buffer[] {
  if (m === some.length) return isKnown ? [] : [rootOf(some)]
  const k = split(some.length)
  return m <= k
    ? [...subProof(m, some.slice(0, k), isKnown), rootOf(some.slice(k))]
    : [...subProof(m - k, some.slice(k), false), rootOf(some.slice(0, k))]
}
const treeOf = (size: number) => ({ size, root: rootOf(leaves.slice(0, size)).toString('hex') })
const proofOf = (from: number, to: number) =>
  from === 0 ? [] : subProof(from, leaves.slice(0, to), true).map((hash) => hash.toString('hex'))
const changed = (hash: string) => (hash.startsWith('0') ? '1' : '0') + hash.slice(1)

it(`a tree begins with an older one by its proof, and by no other: all pairs of 0 to ${SIZES} leaves`, () => {
  for (let to = 0; to <= SIZES; to++)
    for (let from = 0; from <= to; from++) {
      const [older, newer, path] = [treeOf(from), treeOf(to), proofOf(from, to)]
      expect(isConsistent(older, newer, path), `${from} in ${to}`).toBe(true)
      const forged = [
        isConsistent({ ...older, root: changed(older.root) }, newer, path),
        from > 0 && isConsistent(older, { ...newer, root: changed(newer.root) }, path),
        isConsistent(older, newer, [...path, older.root]),
        from < to && isConsistent(newer, older, path),
        path.length > 0 && isConsistent(older, newer, path.slice(1)),
        path.length > 0 && isConsistent(older, newer, path.with(-1, changed(path.at(-1) as string))),
      ]
      expect(forged, `${from} in ${to}`).not.toContain(true)
    }
})

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const typed = Buffer.concat([Buffer.of(1), publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)])
const id = (name: string) => sha256(Buffer.from(`${name}\n`), typed).subarray(0, 4)
const keyOf = (name: string) => parseKey(`${name}+${id(name).toString('hex')}+${typed.toString('base64')}`)
function noteOf(size: number, root: string, name = 'treeos/one'): string {
  const text = `${name}\n${size}\n${Buffer.from(root, 'hex').toString('base64')}\n`
  const signature = Buffer.concat([id(name), sign(null, Buffer.from(text), privateKey)])
  return `${text}\n— ${name} ${signature.toString('base64')}\n`
}
const answerOf = (from: number, to: number, root = treeOf(to).root, name?: string) =>
  JSON.stringify({ from, size: to, path: proofOf(from, to), note: noteOf(to, root, name) })
const kept = noteOf(20, treeOf(20).root)
const key = keyOf('treeos/one')

it('a newer checkpoint is compared with the one that was kept', () => {
  expect(verifyFollows(kept, answerOf(20, 33), { key })).toEqual({
    ...{ ok: true, broken: null, older: 20, newer: 33 },
    cosigned: [],
  })
})

it.each([
  ['a log that was rewritten', answerOf(20, 33, treeOf(34).root), 'nothing proves'],
  [
    'a log that was cut off',
    JSON.stringify({ path: [], note: noteOf(12, treeOf(12).root) }),
    'entries are gone',
  ],
  ['another log', answerOf(20, 33, undefined, 'treeos/two'), 'treeos/two'],
  ['a note of nobody', answerOf(20, 33).replace('— treeos', '— other'), 'did not sign'],
  ['no proof', JSON.stringify({ note: noteOf(33, treeOf(33).root) }), 'nothing proves'],
  ['no JSON', 'not found', 'JSON'],
])('%s is refused', (_what, answer, why) => {
  const both = parseKey(`treeos/one+${id('treeos/one').toString('hex')}+${typed.toString('base64')}`)
  const { ok, broken } = verifyFollows(kept, answer, answer.includes('treeos/two') ? {} : { key: both })
  expect({ ok, broken }).toEqual({ ok: false, broken: expect.stringContaining(why) })
})
