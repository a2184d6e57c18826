import type { OpenedMoment } from '@treeos/protocol'

/**
 * No moment is begun in an activity that would end later than this, in ms, if it took as long as the one
 * before: with a model that takes a second, four of them share a task.
 */
const LIVES_MS = 4500
/**
 * A mind that has not answered this long after the activity began, in ms, is handed over to `think`. The mind
 * of the first moment is not cut short. The workflow then evaluates within 5 s. The SDK warns of longer tasks.
 */
const ENDS_MS = 5000
/**
 * Most bytes, as JSON, of what the workflow is told of the moments. History takes at most 160 KiB of the
 * result of an activity.
 */
export const LIVED_BYTES_MAX = 64 * 1024

/** What one activity may live. Its first moment is always within it. */
export class MomentAllowance {
  readonly #momentsMax: number
  readonly #began = performance.now()
  #moments = 0
  #bytes = 0
  #momentBegan = this.#began

  constructor(momentsMax: number) {
    this.#momentsMax = momentsMax
  }

  /** Whether another moment may follow the one under way, if there is time. */
  get hasRoomAfter(): boolean {
    return this.#moments + 1 < this.#momentsMax
  }

  /** Call it once a moment has ended. @returns whether the next one may begin now */
  end(): boolean {
    const now = performance.now()
    const tookMs = now - this.#momentBegan
    this.#momentBegan = now
    this.#moments += 1
    return this.#moments < this.#momentsMax && now + tookMs < this.#began + LIVES_MS
  }

  /**
   * For how long a mind may be waited for now, in ms.
   * @param shortMs longest time of a mind on the short way
   */
  mindMs(shortMs: number): number {
    return this.#moments === 0 ? shortMs : Math.min(shortMs, this.#began + ENDS_MS - performance.now())
  }

  /** Call it with each moment before it is lived. @returns whether it still belongs into the result */
  takes(opened: OpenedMoment): boolean {
    this.#bytes += openedBytes(opened)
    return this.#bytes <= LIVED_BYTES_MAX || this.#moments === 0
  }
}

export const openedBytes = (opened: OpenedMoment): number => Buffer.byteLength(JSON.stringify(opened))
