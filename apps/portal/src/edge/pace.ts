import { TreeosError } from '@treeos/core'

interface Bucket {
  tokens: number
  at: number
}

/** Bounds how often each key may ask: a burst, which fills up again at a steady rate. */
export class Pace {
  readonly #burst: number
  readonly #perSecond: number
  readonly #buckets = new Map<string, Bucket>()

  constructor({ burst, perSecond }: { readonly burst: number; readonly perSecond: number }) {
    this.#burst = burst
    this.#perSecond = perSecond
  }

  /** @throws {TreeosError} RATE_LIMITED */
  take(key: string, now = performance.now()): void {
    const bucket = this.#buckets.get(key) ?? { tokens: this.#burst, at: now }
    bucket.tokens = Math.min(this.#burst, bucket.tokens + ((now - bucket.at) / 1000) * this.#perSecond)
    bucket.at = now
    if (bucket.tokens < 1) throw new TreeosError('RATE_LIMITED', 'too many requests: wait a second')
    bucket.tokens--
    this.#buckets.delete(key) // a key that was used goes last
    this.#buckets.set(key, bucket)
    this.#forget(now)
  }

  /** The keys that were unused longest are first; those whose bucket is full again need no memory. */
  #forget(now: number): void {
    const fullMs = (this.#burst / this.#perSecond) * 1000
    for (const [key, { at }] of this.#buckets) {
      if (now - at < fullMs) return
      this.#buckets.delete(key)
    }
  }
}
