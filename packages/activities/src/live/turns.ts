import PQueue from 'p-queue'

/**
 * Most steps of moments that are under way at once: twice the connections of a worker's pool, so that none of
 * them idles, and so few that each step ends within tens of milliseconds.
 */
const STEPS_MAX = 40

/**
 * Bounds how many moments of a worker use its processors at once. A worker has up to a thousand workflow tasks
 * at once; most of them wait for a model. Moments are opened in the order in which they came, so a being that
 * has lived a moment waits behind all others. Stamps go before openings.
 */
export class MomentTurns {
  readonly #steps: PQueue

  /** @param most steps at once */
  constructor(most = STEPS_MAX) {
    this.#steps = new PQueue({ concurrency: most })
  }

  /** steps that wait for their turn */
  get waiting(): number {
    return this.#steps.size
  }

  /** A step that claims a wake and reads the world. */
  open<T>(step: () => Promise<T>): Promise<T> {
    return this.#steps.add(step)
  }

  /** A step that appends what was decided. */
  stamp<T>(step: () => Promise<T>): Promise<T> {
    return this.#steps.add(step, { priority: 1 })
  }
}
