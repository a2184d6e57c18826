/** When it is told that something happened, and how often at most. */
export interface Pace {
  /** what happens within this time counts once */
  readonly togetherMs: number
  /** once in this time, on the average */
  readonly everyMs: number
  /** so many may come one after the other before that counts, so that what is rare comes at once */
  readonly burst: number
}

/** The clock and the timers of a browser; a test has others. */
export interface Clock {
  now(): number
  /** @returns ends it */
  after(ms: number, then: () => void): () => void
}

const BROWSER: Clock = {
  now: () => performance.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms)
    return () => clearTimeout(timer)
  },
}

/**
 * Tells of what was named, each name at its own pace. Nothing is left out: what comes too early is told of
 * later, once.
 */
export class Pacer<T> {
  readonly #pace: Pace
  readonly #tell: (what: T) => void
  readonly #clock: Clock
  /** what waits, and since when it may be told of */
  readonly #waiting = new Map<string, { readonly what: T; readonly due: number }>()
  /** of each name, up to when it has used its share */
  readonly #used = new Map<string, number>()
  #end: (() => void) | undefined

  constructor(pace: Pace, tell: (what: T) => void, clock: Clock = BROWSER) {
    this.#pace = pace
    this.#tell = tell
    this.#clock = clock
  }

  take(name: string, what: T): void {
    if (this.#waiting.has(name)) return
    const { togetherMs, everyMs, burst } = this.#pace
    const free = (this.#used.get(name) ?? 0) - (burst - 1) * everyMs
    this.#waiting.set(name, { what, due: Math.max(this.#clock.now() + togetherMs, free) })
    this.#plan()
  }

  stop(): void {
    this.#end?.()
    this.#waiting.clear()
  }

  #plan(): void {
    this.#end?.()
    this.#end = undefined
    if (this.#waiting.size === 0) return
    const next = Math.min(...[...this.#waiting.values()].map(({ due }) => due))
    this.#end = this.#clock.after(Math.max(0, next - this.#clock.now()), () => this.#pass())
  }

  #pass(): void {
    const now = this.#clock.now()
    for (const [name, until] of this.#used) if (until < now) this.#used.delete(name)
    for (const [name, { what, due }] of [...this.#waiting]) {
      if (due > now) continue
      this.#waiting.delete(name)
      this.#used.set(name, Math.max(now, this.#used.get(name) ?? 0) + this.#pace.everyMs)
      this.#tell(what)
    }
    this.#plan()
  }
}
