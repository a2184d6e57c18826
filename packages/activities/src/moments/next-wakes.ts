/**
 * Wakes without a doorbell. A signal costs Temporal's server more than a question to Postgres, and another
 * workflow task more than the rest of a quick moment. So a run whose wakes come soon after its acts waits for
 * the next one itself before it ends its task:
 * 1. It says so: the append that ends its moment writes for how long it listens (`takePlace`). A client that
 *    commits a wake asks Postgres for that after the commit, and does not ring. A worker that stamps does not
 *    ask: it leaves out the beings that wait in its own process (`came`) and rings all others, because a ring
 *    that is not needed costs only time.
 * 2. It waits a little longer than it said (`follows`). One statement asks Postgres for all beings of this
 *   process that wait.
 * 3. It asks once more wherever a wake may have slipped by: an append counts the wakes before it commits
 *    (`recounted`), and a claim may find nothing while another worker has said that the being listens
 *    (`heardOut`).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type BeingName, type MomentId, parseMomentId } from '@treeos/core'
import { type Db, leftToListen, listWithWakes } from '@treeos/store'
import { LRUCache } from 'lru-cache'
import { crashPoint } from '../guard/crash-point.ts'
import type { Observer } from '../guard/guard.ts'

/**
 * A wake comes soon when it comes within this time of the end of the being's last act, in ms. So long its
 * being waits for the next one.
 */
const SOON_MS = 250
/**
 * For so long after its act, in ms, a waiting being says that it listens; less than it waits, so that it asks
 * once more later.
 */
export const LISTENS_MS = 200
/**
 * No being waits where its task would take longer, in ms, if the next moment took as long as this one.
 * Signals wait until the task ends, and the SDK warns of tasks of 5 s.
 */
const TASK_MS = 5000
/**
 * Default of the most beings that wait at once, where a worker has 40 workflow tasks: each holds one.
 */
const WAITING_MAX = 24
/** First pause before Postgres is asked, in ms, and how much longer each pause is than the one before. */
const PAUSE = { firstMs: 5, growth: 1.6 } as const

const BEINGS_MAX = 2000

interface NextWakesDeps {
  readonly db: Db
  readonly observe: Observer
}

interface WakeWaiter {
  /** ms of `performance.now()` when Postgres is asked next, and when for the last time */
  due: number
  readonly until: number
  pauseMs: number
  end(came: boolean): void
}

/** Beings of this process that have ended a moment and wait for their next wake before they rest. */
export class NextWakes {
  readonly #waiting = new Map<BeingName, WakeWaiter>()
  /** moments under way whose wake came soon, with `performance.now()` at their opening */
  readonly #soon = new LRUCache<MomentId, number>({ max: BEINGS_MAX })
  /** `performance.now()` when the present task of each being began */
  readonly #tasks = new LRUCache<BeingName, number>({ max: BEINGS_MAX })
  /** moments whose end is near, and which will wait */
  readonly #places = new Set<MomentId>()
  readonly #max: number
  #isAsking = false

  /** @param max most beings that wait at once */
  constructor(max = WAITING_MAX) {
    this.#max = max
  }

  /** Call it when a workflow task of a being begins. */
  begun(being: BeingName): void {
    this.#tasks.set(being, performance.now())
  }

  /**
   * @param afterMs how long after the being's last act its wake came, by the clock of Postgres; null before
   *   the first act
   */
  opened(moment: MomentId, afterMs: number | null): void {
    if (afterMs !== null && afterMs < SOON_MS) this.#soon.set(moment, performance.now())
  }

  /**
   * Takes a place to wait for the next wake at the end of this moment, which is near. Then call `follows` or
   * `leave`.
   * @returns false for a being whose wakes do not come soon, in a long task, and when no place is left
   */
  takePlace(moment: MomentId): boolean {
    const { being } = parseMomentId(moment)
    const [openedAt, begunAt] = [this.#soon.get(moment), this.#tasks.get(being)]
    this.#soon.delete(moment)
    if (openedAt === undefined || begunAt === undefined) return false
    const now = performance.now()
    if (now - begunAt + SOON_MS + (now - openedAt) > TASK_MS) return false
    if (this.#waiting.size + this.#places.size >= this.#max) return false
    if (this.#waiting.has(being)) return false
    this.#places.add(moment)
    return true
  }

  /** Gives the place back, if there is one. */
  leave(moment: MomentId): void {
    this.#places.delete(moment)
  }

  /**
   * Waits for the next wake of a being that has ended this moment and has none.
   * @returns whether one came, also true when Postgres did not say; at once false for a being without a place
   */
  async follows(moment: MomentId, deps: NextWakesDeps): Promise<boolean> {
    if (!this.#places.delete(moment)) return false
    const { being } = parseMomentId(moment)
    crashPoint('live:next-wake')
    const now = performance.now()
    const pauseMs = PAUSE.firstMs
    const came = new Promise<boolean>((end) => {
      this.#waiting.set(being, { due: now + pauseMs, until: now + SOON_MS, pauseMs, end })
    })
    if (!this.#isAsking) void this.#ask(deps)
    return came
  }

  /**
   * Wakes of these beings are in their inboxes.
   * @returns the beings that did not wait: these need a doorbell
   */
  came(beings: readonly BeingName[]): BeingName[] {
    return beings.filter((being) => !this.#end(being, true))
  }

  /** Asks for all that wait in one statement, until none is left. */
  async #ask({ db, observe }: NextWakesDeps): Promise<void> {
    this.#isAsking = true
    try {
      while (this.#waiting.size > 0) {
        const due = Math.min(...[...this.#waiting.values()].map((one) => one.due))
        await sleep(Math.max(1, due - performance.now()))
        const asked = [...this.#waiting]
        if (asked.length === 0) return
        const now = performance.now()
        const beings = asked.map(([being]) => being)
        this.came(await listWithWakes(db, beings))
        for (const [being, one] of asked) {
          if (this.#waiting.get(being) !== one) continue
          if (now >= one.until) this.#end(being, false) // its last claim began after the wait
          one.pauseMs *= PAUSE.growth
          one.due = Math.min(now + one.pauseMs, one.until)
        }
      }
    } catch (error) {
      observe.error('waiting for the next wake', error)
      // their runs ask again, and nobody rings them
      for (const being of [...this.#waiting.keys()]) this.#end(being, true)
    } finally {
      this.#isAsking = false
    }
  }

  /** @returns whether it waited */
  #end(being: BeingName, came: boolean): boolean {
    this.#waiting.get(being)?.end(came)
    return this.#waiting.delete(being)
  }
}

/**
 * How many wakes wait after an append. It counted none before it committed, and until the commit nobody rang
 * the being.
 */
export const recounted = async (db: Db, being: BeingName): Promise<number> =>
  (await listWithWakes(db, [being])).length

/**
 * After a claim that found nothing: waits until the being listens no more.
 * @returns whether it listened, so that a claim may find something now
 */
export async function heardOut(db: Db, being: BeingName): Promise<boolean> {
  const leftMs = await leftToListen(db, being)
  if (leftMs !== null) await sleep(leftMs + 1)
  return leftMs !== null
}

/**
 * For so long, in ms, a run counts as running once it was known to. So long at most a run lives on that was
 * terminated.
 */
const KNOWN_MS = 1000

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
