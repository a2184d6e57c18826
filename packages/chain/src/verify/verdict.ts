import type { ReelId } from '@treeos/core'

/**
 * What is wrong with a chain, in the order it is looked for.
 * - `seq-gap`: the fact with this number is missing
 * - `prev-mismatch`: it does not name the hash of the fact before
 * - `hash-mismatch`: its header or record is not what was hashed
 * - `header-mismatch`: the header or record is not canonical, or says other things than the row's columns
 * - `payload-mismatch`: the payload is not the one the header cites, or lies where no fact is
 * - `head-mismatch`: the head does not stand where the last fact is
 */
export type BrokenReason =
  | 'seq-gap'
  | 'prev-mismatch'
  | 'hash-mismatch'
  | 'header-mismatch'
  | 'payload-mismatch'
  | 'head-mismatch'

/** The first fault of one chain; whatever follows it is suspect. */
export interface Broken {
  /** `moments:<being>` for the records of a being's moments */
  readonly reel: ReelId
  /** the fault's place; of a wrong head, that of the last fact there is */
  readonly seq: number
  readonly reason: BrokenReason
}

export interface Verified {
  readonly reels: number
  readonly facts: number
  /** records of moments */
  readonly moments: number
  readonly ok: boolean
  /** at most one a chain, sorted by reel */
  readonly broken: readonly Broken[]
}

export function sorted(broken: Iterable<Broken>): Broken[] {
  return [...broken].sort((a, b) => (a.reel < b.reel ? -1 : Number(a.reel > b.reel)))
}
