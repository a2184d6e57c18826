import type { BeingName } from '@treeos/core'
import { LRUCache } from 'lru-cache'

/**
 * Default of the longest time in which a mind decides on the short way. A moment costs about half there, so it is long enough for most
 * answers of a model. It stays well below the 8 s after which the worker asks for more time for a task, and below the 5 s that a worker
 * gives its tasks when it stops.
 */
const SHORT_MIND_MS = 4000
const REMEMBERED_MAX = 5000

/** How long the last calls of minds took. A being whose mind was slow goes the long way, until one of its calls is short. */
export class Pace {
  readonly #ms = new LRUCache<string, number>({ max: REMEMBERED_MAX })
  readonly #shortMs: number

  /** @param shortMs longest time of a mind on the short way; 0: no mind decides there */
  constructor(shortMs = SHORT_MIND_MS) {
    this.#shortMs = shortMs
  }

  get shortMs(): number {
    return this.#shortMs
  }

  /** @param model name; null for a script */
  remember(being: BeingName, model: string | null, ms: number): void {
    this.#ms.set(`being ${being}`, ms)
    if (model !== null) this.#ms.set(`model ${model}`, ms)
  }

  /** Judges a being that has not decided yet by the last call of its model. */
  isSlow(being: BeingName, model: string | null): boolean {
    const ms = this.#ms.get(`being ${being}`) ?? (model === null ? undefined : this.#ms.get(`model ${model}`))
    return (ms ?? 0) >= this.#shortMs
  }
}
