import { hash } from 'node:crypto'
import { canonicalJson, type Digest, type HeadRef, type ReelId } from '@treeos/core'
import { encodeJson } from '../sql/stored-json.ts'
import { digestOf, newSalt, saltedDigest } from './hash.ts'
import type { Basis, MomentNotes } from './records.ts'

// A list of heads has a digest over salted hashes, one a head. So a receipt shows the heads that a permission
// follows from, and of the others that there are some: their names cannot be guessed. The salt of each head
// follows from that of the moment and the head.
const SALT_TAG = 'treeos.head-salt.v1\0'
const HEAD_TAG = 'treeos.head.v1\0'

/**
 * As canonical JSON. `canonicalJson` takes twice as long for a list so short, and a moment has dozens of
 * heads.
 */
const headText = ([reel, seq, hash]: HeadRef): string =>
  `[${canonicalJson(reel)},${seq},${canonicalJson(hash)}]`

/** The salt of one head, and its salted hash. @param salt of the moment, in hex */
export function saltedHead(salt: string, head: HeadRef): { readonly salt: Digest; readonly hash: Digest } {
  const text = headText(head)
  const own = hash('sha256', SALT_TAG + salt + text, 'hex')
  return { salt: own, hash: hash('sha256', HEAD_TAG + own + text, 'hex') }
}

/** @param heads sorted by reel */
export const basisDigest = (salt: string, heads: readonly HeadRef[]): Digest =>
  digestOf(heads.map((head) => saltedHead(salt, head).hash))

/**
 * Of the heads that a call was judged from and that the basis has not. Each says which head of the basis it
 * stands for, by place, or null: so whoever shows one of the basis shows that none stands for it.
 * @param basis the reels of the basis, in its order
 * @param heads sorted by reel
 */
export const judgedDigest = (salt: string, basis: Iterable<ReelId>, heads: readonly HeadRef[]): Digest => {
  const places = new Map([...basis].map((reel, place) => [reel, place]))
  return digestOf(heads.map((head) => [places.get(head[0]) ?? null, saltedHead(salt, head).hash]))
}

/** Of what a moment noted; null when that is nothing. */
export const notedDigest = (salt: string, noted: MomentNotes | null): Digest | null =>
  noted === null ? null : saltedDigest(Buffer.from(salt, 'hex'), encodeJson(noted))

/** What a moment read, with a new salt, and its two digests. @param heads sorted by reel */
export function newBasis(
  heads: readonly HeadRef[],
  told: MomentNotes,
): { basis: Basis; digest: Digest; noted: Digest | null } {
  const salt = newSalt().toString('hex')
  const noted = Object.keys(told).length === 0 ? null : told
  return { basis: { salt, heads, noted }, digest: basisDigest(salt, heads), noted: notedDigest(salt, noted) }
}
