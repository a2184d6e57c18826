import { setTimeout as sleep } from 'node:timers/promises'
import { brandError } from '@treeos/core'

const WAIT_MS_MIN = 250
const WAIT_MS_MAX = 5000
/** `onWait` is called each time an attempt has run this long without an answer. The attempt goes on. */
const SILENCE_MS = 5000
const SECONDS_MAX = 60

/** A service stayed unavailable for longer than a restart takes. */
export class ServiceAwayError extends Error {
  override readonly name = 'ServiceAwayError'

  static {
    brandError(ServiceAwayError, 'ServiceAwayError')
  }

  constructor(service: string, seconds: number, why: string) {
    super(`${service} was unavailable for ${seconds} s (${why})`)
  }
}

/** An attempt that has no answer yet. */
class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
  override readonly message = 'no answer'
}

export interface WaitOptions {
  /** name and address of the service for messages; must hold no secrets */
  readonly service: string
  /** true for an error after which a later attempt may succeed; every other error ends the wait at once */
  readonly isAway: (error: unknown) => boolean
  /** called for each attempt that failed, and for an attempt that has no answer yet */
  readonly onWait: (error: unknown) => void
  /** longest wait; default 60 */
  readonly secondsMax?: number | undefined
}

/**
 * Repeats an attempt until its service is available. Waits 250 ms after the first failure, then twice as long
 * each time, at most 5 s.
 * @throws {ServiceAwayError} after `secondsMax`; an attempt that still runs is not cancelled
 */
export async function waitFor<T>(attempt: () => Promise<T>, options: WaitOptions): Promise<T> {
  const { service, isAway, onWait, secondsMax = SECONDS_MAX } = options
  const until = performance.now() + 1000 * secondsMax
  const giveUp = (error: unknown) => new ServiceAwayError(service, secondsMax, waitReason(error))
  for (let waitMs = WAIT_MS_MIN; ; waitMs = Math.min(2 * waitMs, WAIT_MS_MAX)) {
    const silence = setInterval(() => onWait(new NoAnswerError()), SILENCE_MS)
    try {
      return await withDeadline(until, attempt(), () => giveUp(new NoAnswerError()))
    } catch (error) {
      if (!isAway(error)) throw error
      if (performance.now() + waitMs >= until) throw giveUp(error)
      onWait(error)
    } finally {
      clearInterval(silence)
    }
    await sleep(waitMs)
  }
}

/**
 * The code of an error, otherwise its message cut to 200 characters. Messages may quote input, so a code is
 * preferred.
 */
export function waitReason(error: unknown): string {
  const { code } = error as { code?: unknown }
  if (typeof code === 'string') return code
  return error instanceof Error ? error.message.slice(0, REASON_LENGTH_MAX) : typeof error
}

const REASON_LENGTH_MAX = 200

async function withDeadline<T>(until: number, attempt: Promise<T>, late: () => Error): Promise<T> {
  const over = new AbortController()
  try {
    return await Promise.race([
      attempt,
      sleep(Math.max(0, until - performance.now()), undefined, { signal: over.signal }).then(() => {
        throw late()
      }),
    ])
  } finally {
    over.abort()
  }
}
