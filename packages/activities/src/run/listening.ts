import type { BeingName } from '@treeos/core'
import { LRUCache } from 'lru-cache'

/** For so long after its act, in ms, a being says that its run looks for wakes. `NextWakes` waits a little longer for them. */
export const LISTENS_MS = 200
/** So long, in ms, a being counts as listening whose append has not answered yet. */
const UNANSWERED_MS = 2000
const BEINGS_MAX = 2000

/**
 * Beings whose runs look for wakes by themselves, as their last append of this process told Postgres. Whoever writes a wake for one of
 * them leaves its doorbell alone. So a run that may rest meanwhile must look once more first: its last look at the inbox may be older than
 * a wake whose writer still saw it listening.
 */
export class Listening {
  /** `performance.now()` until when each listens; mostly a little later than Postgres says */
  readonly #until = new LRUCache<BeingName, number>({ max: BEINGS_MAX })

  /** Call it before the append that says so. */
  begin(being: BeingName): void {
    this.#until.set(being, performance.now() + UNANSWERED_MS)
  }

  /** Call it after the append. @param listens as the append said */
  answered(being: BeingName, listens: boolean): void {
    if (listens) this.#until.set(being, performance.now() + LISTENS_MS)
    else this.#until.delete(being)
  }

  has(being: BeingName): boolean {
    return this.leftMs(being) > 0
  }

  /** @returns for how long it still listens; 0 when it does not */
  leftMs(being: BeingName): number {
    return Math.max(0, (this.#until.get(being) ?? 0) - performance.now())
  }
}
