import type { BeingName } from '@treeos/core'

/**
 * Longest wait between two rings. Ringing at every sweep would fill a being's history, since each ring is an
 * event.
 */
const WAIT_SWEEPS_MAX = 12
/** First wait of a being whose ring Temporal took. */
const TAKEN_WAIT_SWEEPS = 2
/** For so many sweeps it is remembered that Temporal took a ring. A being is found stuck after one or two. */
const TAKEN_SWEEPS = 3

interface StuckBeing {
  readonly being: BeingName
  /** seconds for which its oldest wake has waited */
  readonly waited: number
}

interface RingTurn {
  /** sweeps from its last ring to its next */
  readonly wait: number
  /** sweeps until its next ring */
  readonly left: number
}

/**
 * Decides which stuck beings a sweep rings. It rings a newly stuck being at once, then after waits of 1, 2,
 * 4, 8 and at most 12 sweeps. It remembers only the beings that the last sweep found.
 *
 * A being whose ring Temporal took after its wake came is mostly stuck because the workers are busy: Temporal
 * keeps the ring. It waits 2 sweeps first. Else a crowd that wakes at once would be rung again and again
 * while it waits, and each ring costs a workflow task. It is rung then all the same, because a workflow that
 * ends may take a ring with it.
 */
export class RingSchedule {
  #turns = new Map<BeingName, RingTurn>()
  #next = new Map<BeingName, RingTurn>()
  /** beings whose rings Temporal took, with the time and the sweeps for which that is remembered */
  readonly #taken = new Map<BeingName, { readonly atMs: number; readonly sweeps: number }>()

  /** Call it when Temporal took a ring. */
  take(being: BeingName): void {
    this.#taken.set(being, { atMs: performance.now(), sweeps: TAKEN_SWEEPS })
  }

  /** Call it for each page of a sweep. @returns the beings of the page to ring now, in the same order */
  due(stuck: Iterable<StuckBeing>): BeingName[] {
    const due: BeingName[] = []
    for (const { being, waited } of stuck) {
      if (this.#next.has(being)) continue // on an earlier page of this sweep
      const turn = this.#turns.get(being)
      if (turn !== undefined && turn.left > 1) {
        this.#next.set(being, { ...turn, left: turn.left - 1 })
        continue
      }
      if (turn === undefined && this.#isTaken(being, waited)) {
        this.#next.set(being, { wait: TAKEN_WAIT_SWEEPS, left: TAKEN_WAIT_SWEEPS })
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
    for (const [being, { atMs, sweeps }] of this.#taken) {
      if (sweeps === 1) this.#taken.delete(being)
      else this.#taken.set(being, { atMs, sweeps: sweeps - 1 })
    }
  }

  /** A ring from before the wake is not a ring for it. */
  #isTaken(being: BeingName, waited: number): boolean {
    const taken = this.#taken.get(being)
    return taken !== undefined && performance.now() - taken.atMs <= 1000 * waited
  }

  /** Call it for a ring that failed. The next sweep rings the being as if it were newly stuck. */
  forget(being: BeingName): void {
    this.#turns.delete(being)
    this.#next.delete(being)
    this.#taken.delete(being)
  }
}
