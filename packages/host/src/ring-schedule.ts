import type { BeingName } from '@treeos/core'

/** A being that is rung at every sweep would fill its history: each ring is an event, whether or not it tells anything. */
const WAIT_SWEEPS_MAX = 12

interface Turn {
  /** sweeps from its last ring to its next */
  readonly wait: number
  /** sweeps until its next ring */
  readonly left: number
}

/**
 * Which stuck beings a sweep rings: one that is new among them at once, then after 1, 2, 4, 8 and at most 12 sweeps. It
 * counts sweeps, not seconds, and remembers those only that the last sweep found.
 */
export class RingSchedule {
  #turns = new Map<BeingName, Turn>()
  #next = new Map<BeingName, Turn>()

  /** Asked for each page that a sweep finds. @returns whom of it to ring now, in the order given */
  due(stuck: Iterable<BeingName>): BeingName[] {
    const due: BeingName[] = []
    for (const being of stuck) {
      if (this.#next.has(being)) continue // this sweep found it before
      const turn = this.#turns.get(being)
      if (turn !== undefined && turn.left > 1) {
        this.#next.set(being, { ...turn, left: turn.left - 1 })
        continue
      }
      const wait = turn === undefined ? 1 : Math.min(2 * turn.wait, WAIT_SWEEPS_MAX)
      this.#next.set(being, { wait, left: wait })
      due.push(being)
    }
    return due
  }

  /** The sweep has found all there are. */
  endSweep(): void {
    this.#turns = this.#next
    this.#next = new Map()
  }

  /** A ring that failed was no event: the next sweep rings again, as if for the first time. */
  forget(being: BeingName): void {
    this.#turns.delete(being)
    this.#next.delete(being)
  }
}
