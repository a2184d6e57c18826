import { createHash, randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'

const KEPT_MAX = 1_000
const KEPT_MS = 15 * 60_000

/**
 * The idempotency keys of requests whose clients send them again after a timeout or an error, and say so, but
 * send no key. So a repetition does not speak a second time.
 */
export class Repeats {
  readonly #keys = new LRUCache<string, string>({ max: KEPT_MAX, ttl: KEPT_MS })

  /**
   * @param of who asks
   * @param isAgain the client says that it sends the request again
   */
  keyOf(of: string, request: unknown, isAgain: boolean): string {
    const name = createHash('sha256')
      .update(JSON.stringify([of, request]))
      .digest('hex')
    const known = isAgain ? this.#keys.get(name) : undefined
    if (known !== undefined) return known
    const key = randomUUID()
    this.#keys.set(name, key)
    return key
  }
}
