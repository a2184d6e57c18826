import type { StreamEvent } from './events.ts'
import { randomId } from './random-id.ts'
import { Stream, type StreamListener } from './stream.ts'

/** The server says something every 5 s. After this silence the tab that streams is taken for dead. */
const SILENCE_MS_MAX = 20_000
/** How often it is asked which tabs still show words. */
const ROLL_CALL_MS = 60_000

/** What tabs tell each other. `of` names the tab. */
type Message =
  | { readonly is: 'event'; readonly event: StreamEvent }
  | { readonly is: 'sign' }
  | { readonly is: 'lost' }
  /** a tab came: whoever streams says whether it is connected, and after which event */
  | { readonly is: 'hello' }
  | { readonly is: 'state'; readonly isLive: boolean; readonly last: string | null }
  /** whoever streams asks all tabs whose words they show */
  | { readonly is: 'who' }
  | { readonly is: 'wanted'; readonly of: string; readonly beings: readonly string[] }

/**
 * One stream for all tabs that act as the same being: over HTTP/1.1 a browser opens only six connections to
 * one server. A lock of the browser says which tab streams, and a channel takes what it hears to the others.
 * When that tab is closed, the lock goes to another one, which goes on after the last event that it heard.
 * Where a browser has no locks (over http, beyond this machine), each tab streams for itself.
 */
export class SharedStream {
  readonly #hearing: StreamListener
  readonly #tab = randomId()
  readonly #name: string
  readonly #channel: BroadcastChannel | null
  readonly #stopping = new AbortController()
  readonly #onHide = () => this.#say({ is: 'wanted', of: this.#tab, beings: [] })
  /** of each tab, and when it said so */
  readonly #wanted = new Map<string, { readonly beings: readonly string[]; readonly at: number }>()
  #own: readonly string[] = []
  #stream: Stream | null = null
  #isLive = false
  #last: string | null = null
  #heardAt = performance.now()
  #silenceCheck: ReturnType<typeof setInterval> | undefined

  /** @param name the same for tabs that act as the same being */
  constructor(name: string, hearing: StreamListener) {
    this.#name = name
    this.#hearing = hearing
    if (!('locks' in navigator)) {
      this.#channel = null
      this.#lead()
      return
    }
    this.#channel = new BroadcastChannel(name)
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#take(data)
    this.#say({ is: 'hello' })
    window.addEventListener('pagehide', this.#onHide)
    this.#silenceCheck = setInterval(() => this.#check(), SILENCE_MS_MAX / 4)
    void this.#queue()
  }

  /** The beings whose words this tab shows. */
  setBeings(beings: readonly string[]): void {
    this.#own = beings
    if (this.#stream === null) this.#say({ is: 'wanted', of: this.#tab, beings })
    else this.#note(this.#tab, beings)
  }

  stop(): void {
    this.#onHide()
    window.removeEventListener('pagehide', this.#onHide)
    clearInterval(this.#silenceCheck)
    this.#stopping.abort()
    this.#stream?.stop()
    this.#channel?.close()
  }

  /** Waits for its turn, and then streams until it is stopped, or another tab takes the turn. */
  async #queue(steal = false): Promise<void> {
    const { signal } = this.#stopping
    const hold = () =>
      new Promise<void>((release) => {
        if (signal.aborted) return release()
        signal.addEventListener('abort', () => release(), { once: true })
        this.#lead()
      })
    // A lock that is stolen cannot be waited for, and so takes no signal.
    const options = steal ? { steal } : { signal }
    await navigator.locks.request(this.#name, options, hold).catch(() => undefined)
    if (signal.aborted) return
    this.#stream?.stop() // another tab took it, since nothing was heard of this one
    this.#stream = null
    void this.#queue()
  }

  /** A tab that holds the lock and says nothing hangs: one that somebody looks at takes over. */
  #check(): void {
    if (this.#stream !== null) return
    if (performance.now() - this.#heardAt < SILENCE_MS_MAX) return
    this.#lost()
    if (document.visibilityState !== 'visible') return
    this.#heardAt = performance.now()
    void this.#queue(true)
  }

  #lead(): void {
    const calling = setInterval(() => this.#callRoll(), ROLL_CALL_MS)
    this.#stopping.signal.addEventListener('abort', () => clearInterval(calling))
    this.#stream = new Stream(this.#last, {
      onEvent: (event) => {
        this.#event(event)
        this.#say({ is: 'event', event })
      },
      onSign: () => {
        this.#sign()
        this.#say({ is: 'sign' })
      },
      onLost: () => {
        this.#lost()
        this.#say({ is: 'lost' })
      },
    })
    this.#callRoll()
  }

  /** Forgets tabs that did not answer the last call, and calls again. */
  #callRoll(): void {
    if (this.#stream === null) return
    for (const [tab, { at }] of this.#wanted)
      if (performance.now() - at > 1.5 * ROLL_CALL_MS) this.#wanted.delete(tab)
    this.#note(this.#tab, this.#own)
    this.#say({ is: 'who' })
  }

  #note(tab: string, beings: readonly string[]): void {
    this.#wanted.set(tab, { beings, at: performance.now() })
    const all = [...this.#wanted.values()].flatMap((one) => one.beings)
    this.#stream?.setBeings([...new Set(all)].slice(0, STREAMED_BEINGS_MAX))
  }

  #take(message: Message): void {
    const leads = this.#stream !== null
    if (message.is === 'hello' && leads) this.#say({ is: 'state', isLive: this.#isLive, last: this.#last })
    else if (message.is === 'wanted' && leads) this.#note(message.of, message.beings)
    else if (leads) return
    else if (message.is === 'who') this.setBeings(this.#own)
    else if (message.is === 'sign') this.#sign()
    else if (message.is === 'lost') this.#lost()
    else if (message.is === 'event') this.#event(message.event)
    else if (message.is === 'state') {
      this.#sign()
      this.setBeings(this.#own)
      if (message.isLive && !this.#isLive) this.#event({ event: 'begin', id: message.last, data: '{}' })
    }
  }

  #event(event: StreamEvent): void {
    if (event.event === 'begin') this.#isLive = true
    this.#last = event.id ?? this.#last
    this.#hearing.onEvent(event)
  }

  #sign(): void {
    this.#heardAt = performance.now()
    this.#hearing.onSign()
  }

  #lost(): void {
    this.#isLive = false
    this.#hearing.onLost()
  }

  #say(message: Message): void {
    this.#channel?.postMessage(message)
  }
}

/** As the server takes. */
const STREAMED_BEINGS_MAX = 20
