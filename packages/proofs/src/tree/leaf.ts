import { canonicalJson, type JsonObject, momentsReel, type ReelId } from '@treeos/core'
import { leafHash } from './hash.ts'

/** One entry of the log: a fact, or the record of a moment on the reel `moments:<being>`. */
export interface LogEntry {
  readonly reel: ReelId
  readonly seq: number
  readonly hash: Buffer
}

const RECORDS = momentsReel('')

/** What is hashed into the tree: `{"fact":[reel,seq,hash]}` or `{"record":[being,n,hash]}`. */
export function leafOf({ reel, seq, hash }: LogEntry): JsonObject {
  const hex = hash.toString('hex')
  return reel.startsWith(RECORDS)
    ? { record: [reel.slice(RECORDS.length), seq, hex] }
    : { fact: [reel, seq, hex] }
}

/** The hash of a leaf, over its RFC 8785 JSON. */
export const leafHashOf = (entry: LogEntry): Buffer =>
  leafHash(Buffer.from(canonicalJson(leafOf(entry)), 'utf8'))
