import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs work at once and then after every interval, until it is closed. Passes errors to `onError` and goes
 * on.
 */
export class RecurringWork {
  readonly #closing = new AbortController()
  readonly #everyMs: number
  readonly #work: () => Promise<unknown>
  readonly #onError: (error: unknown) => void
  #running: Promise<void> = Promise.resolve()

  constructor(everyMs: number, work: () => Promise<unknown>, onError: (error: unknown) => void) {
    this.#everyMs = everyMs
    this.#work = work
    this.#onError = onError
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  start(): void {
    this.#running = this.#run()
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      try {
        await this.#work()
      } catch (error) {
        this.#onError(error)
      }
      await sleep(this.#everyMs, undefined, { signal }).catch(() => undefined) // closed while it waited
    }
  }

  /** Stops the work. Resolves once the current run has ended. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }
}
