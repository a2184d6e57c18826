import type { ReelId } from '@treeos/core'

/**
 * What is wrong with a chain, in the order of the checks.
 * - `seq-gap`: the fact with this number is missing
 * - `prev-mismatch`: `prev` is not the hash of the fact before
 * - `hash-mismatch`: the header or record does not have the stored hash
 * - `header-mismatch`: the header or record is not canonical JSON, or differs from the row's columns
 * - `payload-mismatch`: the payload does not have the hash in the header, or belongs to no fact
 * - `head-mismatch`: the head is not that of the last fact
 */
export type BrokenReason =
  | 'seq-gap'
  | 'prev-mismatch'
  | 'hash-mismatch'
  | 'header-mismatch'
  | 'payload-mismatch'
  | 'head-mismatch'

/** The first fault of one chain. Nothing after it can be trusted. */
export interface Broken {
  /** `moments:<being>` for the records of a being's moments */
  readonly reel: ReelId
  /** where the fault is; for a wrong head, the seq of the last fact */
  readonly seq: number
  readonly reason: BrokenReason
}

export interface Verified {
  readonly reels: number
  readonly facts: number
  /** records of moments */
  readonly moments: number
  readonly ok: boolean
  /** at most one for each chain, sorted by reel */
  readonly broken: readonly Broken[]
}

export function sorted(broken: Iterable<Broken>): Broken[] {
  return [...broken].sort((a, b) => (a.reel < b.reel ? -1 : Number(a.reel > b.reel)))
}
