import { type Digest, type RefusalFields, refusalSentence, storableMessage } from '@treeos/core'
import { decodeJson, encodeJson } from '../sql/stored-json.ts'
import { newSalt, saltedDigest } from './hash.ts'

/** The refusal of a call as it is stored, with its salt: both are erased together. */
export interface RefusalWrite {
  readonly fields: RefusalFields
  /** 32 random bytes in hex */
  readonly salt: string
}

/** A refusal with a new salt, and the digest of it for the record. */
export function commitRefusal(fields: RefusalFields): {
  readonly refusal: RefusalWrite
  readonly digest: Digest
} {
  const refusal = { fields, salt: newSalt().toString('hex') }
  return { refusal, digest: refusalDigest(refusal) }
}

export const refusalDigest = ({ fields, salt }: RefusalWrite): Digest =>
  saltedDigest(Buffer.from(salt, 'hex'), encodeJson(fields))

/** What is told of how a moment ended: a message of its own, or the sentence for its refusal. */
export const detailOf = (row: {
  readonly detail: string | null
  readonly refusal: Buffer | null
}): string | null =>
  row.refusal === null
    ? row.detail
    : storableMessage(refusalSentence(decodeJson<RefusalWrite>(row.refusal).fields))
