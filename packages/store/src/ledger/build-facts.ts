import {
  type BeingName,
  CODE_VERSION,
  type Digest,
  FACT_VERSION,
  type FactDraft,
  type FactHeader,
  type FactRef,
  type MomentId,
  type ReelId,
  type SeenHead,
  SPEECH_KIND,
} from '@treeos/core'
import { encodeJson } from '../sql/stored-json.ts'
import { factHash, newSalt, payloadHash } from './hash.ts'

/** What all facts of one act share: who acts, when and why. */
export interface Authorship {
  readonly actor: string
  readonly driver: BeingName | null
  readonly moment: MomentId | null
  readonly cause: Digest | null
  /** ms since 1970 UTC */
  readonly at: number
  readonly stack: Digest | null
}

/** A fact that is ready to be appended, with the bytes that were hashed. */
export interface BuiltFact {
  readonly ref: FactRef
  readonly prev: Buffer
  readonly header: Buffer
  readonly payloadHash: Buffer
  readonly salt: Buffer
  readonly bytes: Buffer
  readonly changes: boolean
}

/** Turns drafts into facts, in their order: each follows the fact before it, or the head that was read. */
export function buildFacts(
  heads: ReadonlyMap<ReelId, SeenHead>,
  drafts: readonly FactDraft[],
  by: Authorship,
): BuiltFact[] {
  const last = new Map<ReelId, { seq: number; hash: Buffer }>()
  return drafts.map((draft) => {
    const seen = heads.get(draft.reel)
    if (seen === undefined)
      throw new Error(`the decision did not read the head of ${draft.reel}, which it appends to`)
    const before = last.get(draft.reel) ?? { seq: seen.seq, hash: Buffer.from(seen.hash, 'hex') }
    const bytes = encodeJson(draft.payload)
    const salt = newSalt()
    const digest = payloadHash(salt, bytes)
    const header: FactHeader = {
      v: FACT_VERSION,
      reel: draft.reel,
      seq: before.seq + 1,
      kind: draft.kind,
      actor: by.actor,
      driver: by.driver,
      moment: by.moment,
      cause: by.cause,
      at: by.at,
      payloadHash: digest.toString('hex'),
      stack: by.stack,
      code: CODE_VERSION,
    }
    const encoded = encodeJson(header)
    const hash = factHash(before.hash, encoded)
    last.set(draft.reel, { seq: header.seq, hash })
    const ref = { reel: draft.reel, seq: header.seq, hash: hash.toString('hex'), kind: draft.kind }
    return {
      ref,
      prev: before.hash,
      header: encoded,
      payloadHash: digest,
      salt,
      bytes,
      changes: draft.kind !== SPEECH_KIND,
    }
  })
}
