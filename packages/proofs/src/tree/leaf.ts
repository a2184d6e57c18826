import { canonicalJson, momentsReel, type ReelId } from '@treeos/core'
import { leafHash } from './hash.ts'

/** One entry of the log: a fact, or the record of a moment on the reel `moments:<being>`. */
export interface LogEntry {
  readonly reel: ReelId
  readonly seq: number
  readonly hash: Buffer
}

const RECORDS = momentsReel('')

/** What is hashed into the tree: RFC 8785 JSON, `{"fact":[reel,seq,hash]}` or `{"record":[being,n,hash]}`. */
function leafData({ reel, seq, hash }: LogEntry): Buffer {
  const hex = hash.toString('hex')
  const value = reel.startsWith(RECORDS)
    ? { record: [reel.slice(RECORDS.length), seq, hex] }
    : { fact: [reel, seq, hex] }
  return Buffer.from(canonicalJson(value), 'utf8')
}

export const leafHashOf = (entry: LogEntry): Buffer => leafHash(leafData(entry))
