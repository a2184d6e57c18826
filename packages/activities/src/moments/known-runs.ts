import type { BeingName } from '@treeos/core'
import { LRUCache } from 'lru-cache'

/** For so long, in ms, a run counts as running once it was known to. So long at most a run lives on that was terminated. */
const KNOWN_MS = 1000
const BEINGS_MAX = 2000

/** Beings whose runs were known to run a short while ago: their workflow task began, or Temporal said so. */
export class KnownRuns {
  readonly #ms: number
  /** `performance.now()` at which each was known to run */
  readonly #known = new LRUCache<BeingName, number>({ max: BEINGS_MAX })

  constructor(ms = KNOWN_MS) {
    this.#ms = ms
  }

  note(being: BeingName): void {
    this.#known.set(being, performance.now())
  }

  has(being: BeingName): boolean {
    const known = this.#known.get(being)
    return known !== undefined && performance.now() - known < this.#ms
  }
}
