import { canonicalJson, type Digest, type Notice, type Wake } from '@treeos/core'
import { encodeJson } from '../sql/stored-json.ts'
import { encodeWake } from './encode-wake.ts'
import { newSalt, saltedDigest } from './hash.ts'

/** What a moment sent. No content is in it, so it stays when a content is erased. */
export interface SentList {
  /** id and salted hash of each wake. The salt rests with the wake, and is erased with its content */
  readonly wakes: readonly (readonly [id: string, hash: Digest])[]
  /** the same of notices, of which an inbox may count several as one entry */
  readonly notices: readonly (readonly [id: string, hash: Digest])[]
  /**
   * the facts whose changes wake whoever watches them, by hash: all else of such a wake follows from its fact
   */
  readonly changes: readonly (Digest | null)[]
  /** ids of the inbox rows that it closed besides its own wake */
  readonly closes: readonly string[]
}

/** The parts of a batch by which a moment sends and closes. */
interface SentRows {
  readonly inbox: readonly (Wake | Notice)[]
  readonly changes: readonly { readonly wake: Pick<Wake, 'cause'> }[]
  readonly closes: readonly string[]
}

/** What a moment sent, with what its record and the rows of its wakes hold of it. */
export interface SendsCommitment {
  readonly sent: SentList
  /** of the record */
  readonly digest: Digest
  /** of the wakes of the batch, in its order */
  readonly salts: readonly Buffer[]
}

/**
 * Commits a moment to what it sends.
 * @param basisSalt of the moment, in hex
 * @returns null where it sends and closes nothing
 */
export function commitSends(basisSalt: string, { inbox, changes, closes }: SentRows): SendsCommitment | null {
  if (inbox.length + changes.length + closes.length === 0) return null
  const salts = inbox.map(() => newSalt())
  const hashed = inbox.map((wake, place) => {
    const isNotice = 'notice' in wake
    return { isNotice, told: [wake.id, wakeHash(salts[place] as Buffer, wake, isNotice)] as const }
  })
  const sent = {
    wakes: hashed.flatMap(({ isNotice, told }) => (isNotice ? [] : [told])),
    notices: hashed.flatMap(({ isNotice, told }) => (isNotice ? [told] : [])),
    changes: changes.map(({ wake }) => wake.cause),
    closes,
  }
  return { sent, digest: sendsDigest(basisSalt, sent), salts }
}

export const sendsDigest = (basisSalt: string, sent: SentList): Digest =>
  saltedDigest(Buffer.from(basisSalt, 'hex'), encodeJson(sent))

/**
 * Salted hash of a wake. An overlay is not in it, since its handle ends with its vault. Nor is the thread of
 * a notice: who answers it takes it into another one.
 */
export function wakeHash(salt: Uint8Array, wake: Wake | Notice, isNotice: boolean): Digest {
  const { overlay: _overlay, notice: _notice, root, ...columns } = encodeWake(wake)
  return saltedDigest(salt, Buffer.from(canonicalJson(isNotice ? columns : { ...columns, root })))
}
