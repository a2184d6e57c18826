import { setTimeout as sleep } from 'node:timers/promises'

/** Work that is done at once and then again every so often, until it is closed. What fails is told of and tried again. */
export class Recurring {
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

  /** Resolves once what is under way is over. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }
}
