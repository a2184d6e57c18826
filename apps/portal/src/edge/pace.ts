import { TreeosError } from '@treeos/core'
import { BurstyRateLimiter, RateLimiterMemory } from 'rate-limiter-flexible'

/** A burst is free again after this time. */
const BURST_SECONDS = 30

/**
 * Bounds how often each key may ask: `points` in each span of `seconds`, and beside them `burst` in half a minute.
 * @returns counts a request @throws {TreeosError} RATE_LIMITED
 */
export function pace({ points, seconds = 1, burst }: { points: number; seconds?: number; burst: number }) {
  const limiter = new BurstyRateLimiter(
    new RateLimiterMemory({ points, duration: seconds }),
    new RateLimiterMemory({ points: burst, duration: BURST_SECONDS }),
  )
  return async (key: string): Promise<void> => {
    await limiter.consume(key).catch((refusal: unknown) => {
      if (refusal instanceof Error) throw refusal
      throw new TreeosError('RATE_LIMITED', 'too many requests: wait a second')
    })
  }
}
