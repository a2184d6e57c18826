import { ask, own, Refusal } from './client.ts'
import { eventsIn, type StreamEvent } from './events.ts'

const RETRY_MS_MIN = 500
const RETRY_MS_MAX = 15_000
const TOGETHER_MS = 20
const TELL_AGAIN_MS = 1_000

/** What somebody who follows the events of the server is told. */
export interface StreamListener {
  /** an event; the first one of each connection is `begin` */
  onEvent(event: StreamEvent): void
  /** at each sign of life, every few seconds. Browsers slow the timers of hidden tabs, but not this */
  onSign(): void
  onLost(): void
}

/** The events of the server over one connection, made again when it is lost. */
export class Stream {
  readonly #hearing: StreamListener
  readonly #stopping = new AbortController()
  #last: string | null
  /** the name of the connection, by which the server is told whose words are shown */
  #name: string | null = null
  #beings: readonly string[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #isTelling = false
  #isStale = false

  /** @param after goes on after this event; null: from now on */
  constructor(after: string | null, hearing: StreamListener) {
    this.#last = after
    this.#hearing = hearing
    void this.#run()
  }

  /** From now on hears what the models of these beings write. */
  setBeings(beings: readonly string[]): void {
    const isSame = beings.length === this.#beings.length && beings.every((one, i) => one === this.#beings[i])
    if (isSame) return
    this.#beings = beings
    // A page that changes leaves beings and comes back to them within one frame.
    this.#timer ??= setTimeout(() => void this.#tell(), TOGETHER_MS)
  }

  /** One request after the other, so that the last one tells what counts. */
  async #tell(): Promise<void> {
    this.#timer = undefined
    if (this.#isTelling) {
      this.#isStale = true
      return
    }
    this.#isTelling = true
    do {
      this.#isStale = false
      if (this.#name !== null) await this.#tellOnce(this.#name)
    } while (this.#isStale)
    this.#isTelling = false
  }

  async #tellOnce(name: string): Promise<void> {
    try {
      const json = { stream: name, beings: [...this.#beings] }
      await (await own.live.streamed.$post({ json })).json()
    } catch {
      // A connection that was lost is followed by another one, which is told anew. Otherwise the server may
      // be busy.
      if (this.#name !== name || this.#stopping.signal.aborted) return
      this.#timer ??= setTimeout(() => void this.#tell(), TELL_AGAIN_MS)
    }
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#stopping.abort()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    for (let pauseMs = RETRY_MS_MIN; !signal.aborted; pauseMs = Math.min(2 * pauseMs, RETRY_MS_MAX)) {
      const startedAt = performance.now()
      await this.#once().catch((error: unknown) => {
        // The place is unknown here, such as after the data folder was made anew.
        if (error instanceof Refusal && error.code === 'INVALID_INPUT') this.#last = null
        if (error instanceof Refusal && (error.code === 'UNAUTHORIZED' || error.reason === 'lease-over'))
          this.stop()
      })
      this.#name = null
      if (signal.aborted) return
      this.#hearing.onLost()
      if (performance.now() - startedAt > RETRY_MS_MAX) pauseMs = RETRY_MS_MIN
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }

  async #once(): Promise<void> {
    const headers: Record<string, string> = this.#last === null ? {} : { 'last-event-id': this.#last }
    const { body } = await ask('/api/live', { headers, signal: this.#stopping.signal })
    if (body === null) return
    for await (const event of eventsIn(body, () => this.#hearing.onSign())) {
      this.#last = event.id ?? this.#last
      if (event.event === 'begin') {
        this.#name = (JSON.parse(event.data) as { stream: string }).stream
        if (this.#beings.length > 0) void this.#tell()
      }
      this.#hearing.onEvent(event)
    }
  }
}
