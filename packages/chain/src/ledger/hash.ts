import { hash, randomBytes } from 'node:crypto'
import { canonicalJson, type Digest, type ReelId } from '@treeos/core'

/** Each kind of hash has its own tag, so a value of one kind can never pass as another. */
const TAG = {
  payload: 'treeos.payload.v1\0',
  fact: 'treeos.fact.v1\0',
  moment: 'treeos.moment.v1\0',
  genesis: 'treeos.genesis.v1\0',
  act: 'treeos.act.v1\0',
  value: 'treeos.value.v1\0',
} as const
type Tag = keyof typeof TAG
const TAG_BYTES = Object.fromEntries(
  Object.entries(TAG).map(([name, text]) => [name, Buffer.from(text, 'utf8')]),
) as Record<Tag, Buffer>

// What is hashed is put together here: each part given to a hash is a call of native code.
let scratch = Buffer.alloc(4096)

function sha256(tag: Tag, ...parts: (string | Uint8Array)[]): Buffer {
  const pieces = parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'utf8') : part))
  const start = TAG_BYTES[tag]
  const length = pieces.reduce((sum, piece) => sum + piece.length, start.length)
  if (length > scratch.length) scratch = Buffer.alloc(2 * length)
  let at = start.copy(scratch)
  for (const piece of pieces) {
    scratch.set(piece, at)
    at += piece.length
  }
  return hash('sha256', scratch.subarray(0, length), 'buffer')
}

/** The first `prev` of a reel: derived from reality and reel, so that reels cannot be swapped. */
export const genesisHash = (reality: string, reel: ReelId): Buffer => sha256('genesis', reality, '\0', reel)

/** @param prev hash of the fact before, or the reel's genesis hash */
export const factHash = (prev: Uint8Array, header: Uint8Array): Buffer => sha256('fact', prev, header)

/** Because of the salt, an erased short text cannot be guessed from its digest. */
export const payloadHash = (salt: Uint8Array, bytes: Uint8Array): Buffer => sha256('payload', salt, bytes)

/** @param prev hash of the record of the being's moment before, or the genesis hash of its records */
export const momentHash = (prev: Uint8Array, record: Uint8Array): Buffer => sha256('moment', prev, record)

/** Hex digest of a JSON value in its canonical form: of roles, flows, stacks, prompts. */
export const digestOf = (value: unknown): Digest => sha256('value', canonicalJson(value)).toString('hex')

/** The same of a value that is stored as canonical JSON. */
export const digestOfBytes = (bytes: Uint8Array): Digest => sha256('value', bytes).toString('hex')

/** Hex digest of one act: its moment, its decision, and its facts in order. */
export const actDigest = (act: { moment: string; decision: Digest; facts: readonly Digest[] }): Digest =>
  sha256('act', canonicalJson(act)).toString('hex')

/** Hex digest of salt and text, for a text that may be erased later. */
export const saltedDigest = (salt: Uint8Array, bytes: Uint8Array): Digest =>
  payloadHash(salt, bytes).toString('hex')

export const newSalt = (): Buffer => randomBytes(32)
