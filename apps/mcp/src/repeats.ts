import { createHash, randomUUID } from 'node:crypto'

/** How long a call that was given up counts as the same one when it is sent again. */
const KEPT_MS = 10 * 60_000
/**
 * A call that lasted longer may have been given up too: its client does not always say so, and asks again at
 * once.
 */
const LONG_MS = 30_000
const KEPT_LONG_MS = 60_000
const KEPT_MAX = 1_000

interface KeptRepeat {
  readonly key: string
  under: number
  until: number
}

/**
 * The idempotency keys of calls that wait, so that a client which gives one up and asks again does not speak
 * twice: the same call while the first is under way, and for a while after one that was cancelled or took
 * long. After an answer that came soon, it is a new call.
 */
export class Repeats {
  readonly #kept = new Map<string, KeptRepeat>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** @returns the key of the call, and what to call at its end */
  begin(call: unknown): { readonly key: string; end(isGivenUp: boolean): void } {
    const name = createHash('sha256').update(JSON.stringify(call)).digest('hex')
    const began = this.#now()
    this.#forgetEnded(began)
    const kept = this.#kept.get(name) ?? { key: randomUUID(), under: 0, until: 0 }
    kept.under += 1
    this.#kept.set(name, kept)
    return {
      key: kept.key,
      end: (isGivenUp) => {
        kept.under -= 1
        const now = this.#now()
        kept.until = now + (isGivenUp ? KEPT_MS : now - began > LONG_MS ? KEPT_LONG_MS : 0)
        this.#forgetEnded(now)
      },
    }
  }

  #forgetEnded(now: number): void {
    for (const [name, { under, until }] of this.#kept)
      if (under === 0 && (until <= now || this.#kept.size > KEPT_MAX)) this.#kept.delete(name)
  }
}
