import { type BeingName, quote, stanceOf, TreeosError } from '@treeos/core'
import { BurstyRateLimiter, RateLimiterMemory } from 'rate-limiter-flexible'

/** A burst is free again after this time. */
const BURST_SECONDS = 30

/**
 * Bounds how often each key may ask: `points` in each span of `seconds`, and beside them `burst` in half a
 * minute.
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

/** Calls of models by trials of one person within an hour, where its operator says nothing else. */
const TRIAL_CALLS_PER_HOUR = 1000

/**
 * Bounds how many calls of models the trials of one person make, which no budget of a being counts.
 * @param perHour 0: none
 * @returns takes so many calls, and gives those back that were not made @throws {TreeosError} RATE_LIMITED
 */
export function trialPace(perHour: number) {
  const limiter = new RateLimiterMemory({ points: Math.max(1, perHour), duration: 3600 })
  return async (person: BeingName, calls: number): Promise<(made: number) => Promise<void>> => {
    if (perHour === 0)
      throw new TreeosError('FORBIDDEN', 'the operator allows no trials here (TREEOS_TRIAL_CALLS_PER_HOUR)')
    await limiter.consume(person, calls).catch(async (refusal: unknown) => {
      if (refusal instanceof Error) throw refusal
      await limiter.reward(person, calls) // what is refused is not counted
      const minutes = Math.ceil((refusal as { msBeforeNext: number }).msBeforeNext / 60_000)
      throw new TreeosError(
        'RATE_LIMITED',
        `trials of ${stanceOf(person)} may make ${perHour} calls within an hour (TREEOS_TRIAL_CALLS_PER_HOUR), and this one takes ${calls}: ` +
          `try fewer moments, or try again in ${minutes} min`,
      )
    })
    return async (made) => {
      if (made < calls) await limiter.reward(person, calls - made)
    }
  }
}

/** @param text of TREEOS_TRIAL_CALLS_PER_HOUR @throws {TreeosError} INVALID_INPUT */
export function trialCallsIn(text: string | undefined): number {
  if (text === undefined || text === '') return TRIAL_CALLS_PER_HOUR
  if (/^(0|[1-9]\d{0,8})$/.test(text)) return Number(text)
  throw new TreeosError(
    'INVALID_INPUT',
    `TREEOS_TRIAL_CALLS_PER_HOUR is ${quote(text)}; it takes a whole number from 0`,
  )
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
