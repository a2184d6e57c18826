import type { ReelId } from '@treeos/core'
import type { HeadsTree } from '../tree/heads.ts'

/** The place of an entry in the log, and the hashes that lead from it to the root. */
export interface LogProof {
  readonly seq: number
  readonly index: number
  /** lowest first, in hex */
  readonly path: readonly string[]
}

/** A signed checkpoint, and the log that proves what its tree holds. */
export interface CheckpointedLog {
  /** the signed note */
  readonly note: string
  /** number of entries that it covers */
  readonly size: number
  /**
   * @returns the proof of the last entry of a chain up to `seq` that the checkpoint covers; null when it
   *   covers none
   */
  prove(reel: ReelId, seq: number): Promise<LogProof | null>
  /** the ends of all chains at the checkpoint */
  ends(): Promise<Pick<HeadsTree, 'ends' | 'endOf' | 'prove'>>
}
