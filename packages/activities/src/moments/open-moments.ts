import type { Digest, MomentId } from '@treeos/core'
import type { LoadedMoment } from '@treeos/reality'
import {
  type Db,
  type DecisionWrite,
  digestOf,
  type KeptReading,
  type OpenWrite,
  readOpen,
  recordDecision,
  recordOpen,
} from '@treeos/store'
import { LRUCache } from 'lru-cache'
import { type Advance, giveBack } from '../calls/advance.ts'

/** A moment that this process has opened. Nothing of it is stored before its outcome, unless its end takes longer. */
export interface HeldMoment {
  readonly open: OpenWrite
  /** digest of the open record */
  readonly digest: Digest
  readonly loaded: LoadedMoment
  /** the world as it was when the moment opened */
  readonly reading: KeptReading
  /** what was reserved for its model call; null where nothing was */
  readonly advance: Advance | null
  /** what its mind decided; null until it has */
  decision: DecisionWrite | null
  /** the append is to say that the run looks for its next wake itself */
  listens: boolean
}

/** Another open record or another decision of the moment is stored: another process went on with it. */
export class ReopenedError extends Error {
  override readonly name = 'ReopenedError'
}

/** More than a worker has under way. What is dropped is opened again. */
const HELD_MAX = 2000

/**
 * The held moments of a process. Temporal may run a moment again, here or elsewhere, while an earlier run goes on. So whoever
 * ends a moment names the digest of the open record, and Postgres takes one open record and one decision for each moment.
 */
export class HeldMoments {
  readonly #held = new LRUCache<MomentId, HeldMoment>({ max: HELD_MAX })
  readonly #onStored: (moment: MomentId, loaded: LoadedMoment) => void

  /** @param onStored is told of each moment that is stored after all */
  constructor(onStored: (moment: MomentId, loaded: LoadedMoment) => void) {
    this.#onStored = onStored
  }

  hold(held: HeldMoment): void {
    this.#held.set(held.open.moment, held)
  }

  get(moment: MomentId): HeldMoment | undefined {
    return this.#held.get(moment)
  }

  drop(held: HeldMoment): void {
    if (this.#held.get(held.open.moment) === held) this.#held.delete(held.open.moment)
  }

  /**
   * Stores the open record of a held moment, and its decision where there is one. Then it is like one that was never held.
   * @throws {ReopenedError} when others are stored
   */
  async store(db: Db, held: HeldMoment): Promise<void> {
    const { moment } = held.open
    if (!(await recordOpen(db, held.open))) {
      const stored = await readOpen(db, moment)
      if (stored === null || digestOf(stored.record) !== held.digest) throw this.#reopened(held)
    }
    if (held.decision !== null) {
      const { digest } = await recordDecision(db, moment, held.decision)
      if (digest !== held.decision.digest) throw this.#reopened(held)
    }
    await giveBack(db, moment, held.advance)
    this.drop(held)
    this.#onStored(moment, held.loaded)
  }

  #reopened(held: HeldMoment): ReopenedError {
    this.drop(held)
    return new ReopenedError(`another process went on with ${held.open.moment}`)
  }
}
