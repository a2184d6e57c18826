import type { BeingName } from '@treeos/core'

/**
 * Most beings of a crowd that were rung and have not looked yet. So many wait less than a second for two busy
 * cores.
 */
const AHEAD = 32
/**
 * When none of them looks for so long, their worker may be dead, and nobody is kept busy by them: twice as
 * many may be rung.
 */
const STILL_MS = 250
/** Whoever has not looked after this time is not waited for: it is paused, or busy with a long moment. */
const GIVEN_UP_MS = 5000

/**
 * How far the rings of a crowd may be ahead of its looks. A ring that waits for a worker costs: after a
 * second Temporal takes the task from the worker that holds the being and gives it out anew with all of its
 * history. And whoever is rung takes time from those that were rung before.
 */
export class CrowdPace {
  #ahead = AHEAD
  /** who was rung and has not looked, with the time of the ring */
  readonly #awaited = new Map<BeingName, number>()
  #movedAtMs = 0

  get hasRoom(): boolean {
    return this.#awaited.size < this.#ahead
  }

  get awaited(): BeingName[] {
    return [...this.#awaited.keys()]
  }

  rang(being: BeingName, nowMs: number): void {
    if (this.#awaited.size === 0) this.#movedAtMs = nowMs
    this.#awaited.set(being, nowMs)
  }

  /** @param left of those awaited, who has not looked yet */
  found(left: readonly BeingName[], nowMs: number): void {
    const waiting = new Set(left)
    const before = this.#awaited.size
    for (const [being, rungAtMs] of this.#awaited)
      if (!waiting.has(being) || nowMs - rungAtMs >= GIVEN_UP_MS) this.#awaited.delete(being)
    const hasMoved = this.#awaited.size < before
    if (!hasMoved && nowMs - this.#movedAtMs < STILL_MS) return
    this.#movedAtMs = nowMs
    if (!hasMoved) this.#ahead *= 2
  }

  /** The crowd is rung. */
  end(): void {
    this.#ahead = AHEAD
    this.#awaited.clear()
  }
}
