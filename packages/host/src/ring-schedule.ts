import type { BeingName } from '@treeos/core'

/** Longest wait between two rings. Ringing at every sweep would fill a being's history, since each ring is an event. */
const WAIT_SWEEPS_MAX = 12

interface Turn {
  /** sweeps from its last ring to its next */
  readonly wait: number
  /** sweeps until its next ring */
  readonly left: number
}

/**
 * Decides which stuck beings a sweep rings. It rings a newly stuck being at once, then after waits of 1, 2, 4, 8 and at most
 * 12 sweeps. It remembers only the beings that the last sweep found.
 */
export class RingSchedule {
  #turns = new Map<BeingName, Turn>()
  #next = new Map<BeingName, Turn>()

  /** Call it for each page of a sweep. @returns the beings of the page to ring now, in the same order */
  due(stuck: Iterable<BeingName>): BeingName[] {
    const due: BeingName[] = []
    for (const being of stuck) {
      if (this.#next.has(being)) continue // on an earlier page of this sweep
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

  /** Call it after the last page of a sweep. */
  endSweep(): void {
    this.#turns = this.#next
    this.#next = new Map()
  }

  /** Call it for a ring that failed. The next sweep rings the being as if it were newly stuck. */
  forget(being: BeingName): void {
    this.#turns.delete(being)
    this.#next.delete(being)
  }
}
