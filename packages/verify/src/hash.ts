import { hash } from 'node:crypto'
import { canonical, type Json } from './canonical.ts'

/** One call for the whole input: `createHash` takes twice as long for inputs of this length. */
const sha256 = (...parts: (string | Uint8Array)[]): Buffer =>
  hash(
    'sha256',
    parts.every((part) => typeof part === 'string')
      ? parts.join('')
      : Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))),
    'buffer',
  )
const HASH = /^[0-9a-f]{64}$/
/** @throws {Error} for a text that is not a hash: a decoder would leave out what stands behind it */
function hex(text: string): Buffer {
  if (!HASH.test(text)) throw new Error(`${JSON.stringify(text.slice(0, 80))} is not a hash`)
  return Buffer.from(text, 'hex')
}

// Each kind of hash has its own tag, so a value of one kind never passes as another. All take and give
// lower-case hex.
export const genesisHash = (reality: string, reel: string): string =>
  sha256('treeos.genesis.v1\0', reality, '\0', reel).toString('hex')
export const factHash = (prev: string, header: Json): string =>
  sha256('treeos.fact.v1\0', hex(prev), canonical(header)).toString('hex')
export const momentHash = (prev: string, record: Json): string =>
  sha256('treeos.moment.v1\0', hex(prev), canonical(record)).toString('hex')
export const saltedHash = (salt: string, content: Json): string =>
  sha256('treeos.payload.v1\0', hex(salt), canonical(content)).toString('hex')
export const valueHash = (value: Json): string =>
  sha256('treeos.value.v1\0', canonical(value)).toString('hex')
/** The salt of one head of a moment. @param salt of the moment, in hex */
export const saltOfHead = (salt: string, head: Json): string =>
  sha256('treeos.head-salt.v1\0', salt, canonical(head)).toString('hex')
/** @param salt of the head, in hex */
export const saltedHeadHash = (salt: string, head: Json): string =>
  sha256('treeos.head.v1\0', salt, canonical(head)).toString('hex')
export const actHash = (act: { moment: string; decision: string; facts: readonly string[] }): string =>
  sha256('treeos.act.v1\0', canonical(act)).toString('hex')
/** Each line of a bundle covers the one before it. */
export const lineHash = (before: string, body: string): string =>
  sha256('treeos.line.v1\0', before, '\0', body).toString('hex')

export const isHash = (value: unknown): value is string => typeof value === 'string' && HASH.test(value)

/**
 * The hash of a leaf of the log (RFC 6962).
 * @param leaf `{"fact":[reel,seq,hash]}` or `{"record":[being,n,hash]}`
 */
const leafHash = (leaf: Json): Buffer => sha256(Buffer.of(0), canonical(leaf))
const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(Buffer.of(1), left, right)

/** What a checkpoint commits to. */
export interface Tree {
  readonly size: number
  /** in hex */
  readonly root: string
}

/**
 * Whether a leaf is in a tree: RFC 9162, 2.1.3.2.
 * @param index anything but a whole number is in no tree
 * @param path of the inclusion proof, the lowest sibling first, in hex
 * @param root in hex
 */
export function isIncluded(
  leaf: Json,
  index: number,
  path: readonly string[],
  size: number,
  root: string,
): boolean {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size || !path.every(isHash)) return false
  let [node, last, hash] = [BigInt(index), BigInt(size - 1), leafHash(leaf)]
  for (const sibling of path.map(hex)) {
    if (last === 0n) return false
    if (node % 2n === 1n || node === last) {
      hash = nodeHash(sibling, hash)
      while (node % 2n === 0n && node !== 0n) [node, last] = [node / 2n, last / 2n]
    } else hash = nodeHash(hash, sibling)
    ;[node, last] = [node / 2n, last / 2n]
  }
  return last === 0n && hash.toString('hex') === root
}

/**
 * Whether a tree begins with an older one: RFC 9162, 2.1.4.2.
 * @param path of the consistency proof, in hex
 */
export function isConsistent(older: Tree, newer: Tree, path: readonly string[]): boolean {
  if (!path.every(isHash) || older.size > newer.size) return false
  if (older.size === newer.size) return path.length === 0 && older.root === newer.root
  if (older.size === 0) return path.length === 0 && older.root === sha256().toString('hex')
  let [node, last] = [BigInt(older.size - 1), BigInt(newer.size - 1)]
  const isWhole = Number.isInteger(Math.log2(older.size)) // its root is a node of the newer tree
  const [first, ...rest] = (isWhole ? [older.root, ...path] : path).map(hex)
  if (first === undefined || path.length === 0) return false
  while (node % 2n === 1n) [node, last] = [node / 2n, last / 2n]
  let [before, after] = [first, first]
  for (const sibling of rest) {
    if (last === 0n) return false
    if (node % 2n === 1n || node === last) {
      ;[before, after] = [nodeHash(sibling, before), nodeHash(sibling, after)]
      while (node % 2n === 0n && node !== 0n) [node, last] = [node / 2n, last / 2n]
    } else after = nodeHash(after, sibling)
    ;[node, last] = [node / 2n, last / 2n]
  }
  return last === 0n && before.toString('hex') === older.root && after.toString('hex') === newer.root
}
