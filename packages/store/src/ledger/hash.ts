import { hash, randomBytes } from 'node:crypto'
import { canonicalJson, type Digest, type ReelId } from '@treeos/core'
import { isHash, sha256, sha256Text } from './sha256.ts'

/** Each kind of hash has its own tag, so a value of one kind can never pass as another. */
const TAG = {
  payload: 'treeos.payload.v1\0',
  fact: 'treeos.fact.v1\0',
  moment: 'treeos.moment.v1\0',
  genesis: 'treeos.genesis.v1\0',
  act: 'treeos.act.v1\0',
  value: 'treeos.value.v1\0',
} as const

/**
 * Hashes a tag and two parts. They are put together first: each part given to a hash is a call of native
 * code.
 */
function hasher(tag: string): (first: Uint8Array, second: Uint8Array) => string {
  const start = Buffer.byteLength(tag)
  let scratch = Buffer.alloc(0)
  return (first, second) => {
    const middle = start + first.length
    const end = middle + second.length
    if (end > scratch.length) {
      scratch = Buffer.alloc(Math.max(2 * end, 4096))
      scratch.write(tag)
    }
    scratch.set(first, start)
    scratch.set(second, middle)
    return sha256Text(scratch.subarray(0, end))
  }
}

const digestOfText = (tag: string, text: string): Digest => hash('sha256', tag + text, 'hex')

/** The first `prev` of a reel: derived from reality and reel, so that reels cannot be swapped. */
export const genesisHash = (reality: string, reel: ReelId): Buffer =>
  sha256(`${TAG.genesis}${reality}\0${reel}`)

const fact = hasher(TAG.fact)
const payload = hasher(TAG.payload)
const moment = hasher(TAG.moment)
const value = hasher(TAG.value)

/** @param prev hash of the fact before, or the reel's genesis hash */
export const factHash = (prev: Uint8Array, header: Uint8Array): Buffer => latin1Bytes(fact(prev, header))

/** Because of the salt, an erased short text cannot be guessed from its digest. */
export const payloadHash = (salt: Uint8Array, bytes: Uint8Array): Buffer => latin1Bytes(payload(salt, bytes))

/** @param prev hash of the record of the being's moment before, or the genesis hash of its records */
export const momentHash = (prev: Uint8Array, record: Uint8Array): Buffer => latin1Bytes(moment(prev, record))

const latin1Bytes = (text: string): Buffer => Buffer.from(text, 'latin1')

// The same as questions, for millions of hashes: no buffer is made.
export const isFactHash = (hash: Uint8Array, prev: Uint8Array, header: Uint8Array): boolean =>
  isHash(hash, fact(prev, header))
export const isPayloadHash = (hash: Uint8Array, salt: Uint8Array, bytes: Uint8Array): boolean =>
  isHash(hash, payload(salt, bytes))
export const isMomentHash = (hash: Uint8Array, prev: Uint8Array, record: Uint8Array): boolean =>
  isHash(hash, moment(prev, record))

/** Hex digest of a JSON value in its canonical form: of roles, flows, stacks, prompts. */
export const digestOf = (json: unknown): Digest => digestOfCanonical(canonicalJson(json))

/** The same of a value that was written as canonical JSON before. */
export const digestOfCanonical = (text: string): Digest => digestOfText(TAG.value, text)

/** The same of a value that is stored as canonical JSON. */
export const digestOfBytes = (bytes: Uint8Array): Digest => latin1Bytes(value(NOTHING, bytes)).toString('hex')
const NOTHING = new Uint8Array()

/** A value as it is stored, with its digest. */
export interface WrittenJson {
  readonly digest: Digest
  /** canonical JSON */
  readonly text: string
}

/** Writes a value once, where both are asked for. */
export function writeJson(json: unknown): WrittenJson {
  const text = canonicalJson(json)
  return { digest: digestOfCanonical(text), text }
}

/** Hex digest of one act: its moment, its decision, and its facts in order. */
export const actDigest = (act: { moment: string; decision: Digest; facts: readonly Digest[] }): Digest =>
  digestOfText(TAG.act, canonicalJson(act))

/** Hex digest of salt and text, for a text that may be erased later. */
export const saltedDigest = (salt: Uint8Array, bytes: Uint8Array): Digest =>
  payloadHash(salt, bytes).toString('hex')

const SALT_BYTES = 32
let drawn: Buffer = Buffer.alloc(0)
let used = 0

/** Random bytes, which are drawn for many salts at once: each draw is a call of native code. */
export function newSalt(): Buffer {
  if (used === drawn.length) {
    drawn = randomBytes(128 * SALT_BYTES)
    used = 0
  }
  used += SALT_BYTES
  return Buffer.from(drawn.subarray(used - SALT_BYTES, used)) // a copy: a salt outlives the others
}
