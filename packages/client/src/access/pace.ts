import { type BeingName, quote, stanceOf, TreeosError } from '@treeos/core'
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

/** Acts of one person within a minute, where its operator says nothing else. Nobody acts as often by hand. */
export const ACTS_PER_MINUTE = 120

/**
 * Bounds how often a person acts by one door, over all its sessions and tokens, as whomever it acts.
 * @returns counts an act @throws {TreeosError} RATE_LIMITED
 */
export function actPace(perMinute: number = ACTS_PER_MINUTE) {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 })
  return async (person: BeingName): Promise<void> => {
    await limiter.consume(person).catch((refusal: unknown) => {
      if (refusal instanceof Error) throw refusal
      const seconds = Math.ceil((refusal as { msBeforeNext: number }).msBeforeNext / 1000)
      throw new TreeosError(
        'RATE_LIMITED',
        `${stanceOf(person)} has acted ${perMinute} times within a minute, and may no more (TREEOS_ACTS_PER_MINUTE): try again in ${seconds} s`,
        { seconds },
      )
    })
  }
}

/** @param text of TREEOS_ACTS_PER_MINUTE @throws {TreeosError} INVALID_INPUT */
export function actsPerMinuteIn(text: string | undefined): number {
  if (text === undefined || text === '') return ACTS_PER_MINUTE
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new TreeosError(
    'INVALID_INPUT',
    `TREEOS_ACTS_PER_MINUTE is ${quote(text)}; it takes a whole number from 1`,
  )
}
