import type { ReelId } from '@treeos/core'

/**
 * What is wrong with a chain, in the order of the checks.
 * - `seq-gap`: the fact with this number is missing
 * - `prev-mismatch`: `prev` is not the hash of the fact before
 * - `hash-mismatch`: the header or record does not have the stored hash
 * - `header-mismatch`: the header or record is not canonical JSON, or differs from the row's columns
 * - `payload-mismatch`: the payload does not have the hash in the header
 * - `head-mismatch`: the head is not that of the last fact
 *
 * And what is wrong with what is stored beside the chains:
 * - `payload-missing`: a fact has no payload, and no tombstone says that it was erased
 * - `row-mismatch`: a row differs from what its facts yield, or no facts yield it
 * - `watch-mismatch`: what wakes a being differs from what its facts yield
 * - `limit-mismatch`: the limits of a being's budget, or what parked it, differ from what its facts yield
 * - `open-mismatch`: what a moment opened with does not have the digest in its record, or is gone
 * - `judged-mismatch`: the heads that a call was judged from do not have the digest in the record
 * - `decision-mismatch`: the answer of a mind does not have the digest in its record, or is gone
 * - `effect-mismatch`: what a moment asked of the outside, or the result, does not have the digest in its
 *   record, or is gone
 * - `facts-mismatch`: the facts of a moment are not those that its record names
 * - `refusal-mismatch`: why a call was refused, as it is stored, does not have the digest in its record, or
 *   is gone
 * - `sends-mismatch`: what is stored of what a moment sent does not have the digest in its record, or is gone
 * - `signature-mismatch`: the passkey of its person did not sign an act that has a signature, or signed
 *   another one
 * - `lease-mismatch`: who drives a being differs from what its facts yield
 * - `life-mismatch`: the lives of a being are not those that its moments name, or a moment has not the id of
 *   its being, life and number
 * - `reality-mismatch`: name or time zone of the reality are not those that it was made with
 * - `wake-mismatch`: an entry of an inbox is not what its sender said or sent, or is not closed by what it
 *   says; or a wake has two moments
 * - `wake-missing`: what a being said to another one, or sent, is in no inbox
 * - `wake-unsent`: an entry of an inbox says by its id or its fact which moment sent it, and that one did not
 * - `table-mismatch`: a view, a rule or row security stands in place of a table, and may show other rows to
 *   whoever checks; or a generated column has another definition
 * - `blob-mismatch`: a stored content does not have its digest
 *
 * And what is wrong with the log, and against checkpoints:
 * - `log-mismatch`: the fact or record has another hash than its entry in the log, or is gone
 * - `log-missing`: the fact or record is not in the log, though later ones are
 * - `log-gap`: an entry of the log is missing, or comes from an append that, by its place in the journal, the
 *   sequencer has not taken yet
 * - `checkpoint-mismatch`: the log has another root than a signed checkpoint, or fewer entries; from this
 *   entry on
 * - `checkpoint-order`: a checkpoint was signed after one that is as large
 * - `checkpoint-unreadable`: a note among the checkpoints is not of this log, or its signature is wrong
 */
export type BrokenReason =
  | 'seq-gap'
  | 'prev-mismatch'
  | 'hash-mismatch'
  | 'header-mismatch'
  | 'payload-mismatch'
  | 'head-mismatch'
  | 'payload-missing'
  | 'row-mismatch'
  | 'watch-mismatch'
  | 'limit-mismatch'
  | 'open-mismatch'
  | 'judged-mismatch'
  | 'decision-mismatch'
  | 'effect-mismatch'
  | 'facts-mismatch'
  | 'signature-mismatch'
  | 'lease-mismatch'
  | 'life-mismatch'
  | 'reality-mismatch'
  | 'wake-mismatch'
  | 'wake-missing'
  | 'wake-unsent'
  | 'sends-mismatch'
  | 'refusal-mismatch'
  | 'table-mismatch'
  | 'function-mismatch'
  | 'trigger-mismatch'
  | 'rights-mismatch'
  | 'act-unexplained'
  | 'blob-mismatch'
  | 'log-mismatch'
  | 'log-missing'
  | 'log-gap'
  | 'checkpoint-mismatch'
  | 'checkpoint-order'
  | 'checkpoint-unreadable'

/** The first fault of one chain. Nothing after it can be trusted. */
export interface ChainFault {
  /**
   * `moments:<being>` for the records of a being's moments, `inbox:<being>` for wakes, `blob:<digest>` for
   * contents, `log` for the log, `schema` for tables
   */
  readonly reel: ReelId
  /**
   * where the fault is; for a wrong head, the seq of the last fact; for a row, that of the last fact it was
   * folded from; for a wake, its age
   */
  readonly seq: number
  readonly reason: BrokenReason
  /** of a wrong row; the name of a wrong table, function or trigger; the right that is too much */
  readonly key?: string
}

export interface ChainsVerified {
  readonly reels: number
  readonly facts: number
  /** records of moments */
  readonly moments: number
  readonly ok: boolean
  /**
   * at most one for each chain, and each wrong row, moment, wake and content beside them; sorted by reel and
   * seq
   */
  readonly broken: readonly ChainFault[]
}

export function sorted(broken: Iterable<ChainFault>): ChainFault[] {
  return [...broken].sort((a, b) => (a.reel < b.reel ? -1 : Number(a.reel > b.reel)) || a.seq - b.seq)
}
