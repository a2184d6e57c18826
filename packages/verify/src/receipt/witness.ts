import type { Json } from '../canonical.ts'
import type { Verdict } from './verdict.ts'

/**
 * What a receipt says, with all that the permission is derived from: the predicate of its in-toto statement.
 */
export interface Witness {
  readonly reality: string
  readonly verdict: Verdict
  /**
   * the record of the moment, what it opened with, and its decision, as in a bundle; of the heads those of
   * `reels` are shown
   */
  readonly moment: Readonly<
    Record<'prev' | 'record' | 'open' | 'basis' | 'judged' | 'decision' | 'salt' | 'effect', Json>
  >
  /** the flow and the roles it names, as the moment opened with */
  readonly program: Json
  /** of the stack, primary first */
  readonly specs: readonly Json[]
  /** the lists of the stack after expansion */
  readonly surface: Json
  /** name of what the call is done to: a stance, a path, or an address of a thing or a thread */
  readonly target: string
  /** who may call the operation where no space has a rule: this is code of the operation */
  readonly fallback: readonly string[]
  /** whom the operation asks where that rule decides, as its manifest says: code of the operation; left out for nobody */
  readonly ask?: Json
  /**
   * reels from their first fact on, each fact as [header, salt, payload]; a payload that the gates do not
   * read is null. `{to, hash}` stands for facts that are left out, up to the one of that number and hash
   */
  readonly reels: Readonly<Record<string, Json>>
  /** the facts that the moment wrote, each as [hash of the fact before, header, salt, payload] */
  readonly facts: Json
}

/** That from which a verdict is derived. */
export type Parts = Omit<Witness, 'verdict'>
