import type { Fact, ReelId } from '@treeos/core'
import { type LostPayload, ReelHistory, type Reels } from '@treeos/world'
import { MissingReel, NotShownError } from '../missing-reel.ts'

/** A fact that something rests on was erased, or its payload is not the one that was hashed. */
class LostPayloadError extends NotShownError {
  override readonly name = 'LostPayloadError'
}

/** The facts of a bundle, reel by reel, as the law reads them. */
export class BundleReels implements Reels {
  readonly #reels = new Map<ReelId, ReelHistory>()
  readonly #isWhole: (reel: ReelId) => boolean

  /** @param isWhole whether the bundle holds a reel from its first fact on */
  constructor(isWhole: (reel: ReelId) => boolean) {
    this.#isWhole = isWhole
  }

  /** Adds the next fact of its reel. One that does not follow is left out: its chain is reported. */
  take(fact: Fact): void {
    const { reel, seq } = fact.header
    const history = this.#reels.get(reel) ?? new ReelHistory(whyLost)
    if (history.length !== seq - 1) return
    this.#reels.set(reel, history)
    history.take(fact)
  }

  /** @throws {MissingReel} for one that is not in the bundle as a whole */
  ready(reel: ReelId, seq: number): ReelHistory {
    if (seq === 0) return this.#reels.get(reel) ?? new ReelHistory(whyLost) // it was empty
    const history = this.#reels.get(reel)
    if (history === undefined || !this.#isWhole(reel) || history.length < seq) throw new MissingReel(reel)
    return history
  }

  async load(reel: ReelId, seq: number): Promise<ReelHistory> {
    return this.ready(reel, seq)
  }
}

const whyLost = (reel: ReelId, seq: number): LostPayload => ({
  error: new LostPayloadError(`what fact ${seq} of ${reel} says is not there`),
  until: Number.POSITIVE_INFINITY,
})
