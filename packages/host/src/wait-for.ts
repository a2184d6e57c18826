import { setTimeout as sleep } from 'node:timers/promises'

const WAIT_MS_MIN = 250
const WAIT_MS_MAX = 5000
/** An attempt that takes longer is told of as if it had failed, and goes on. */
const SILENCE_MS = 5000
const SECONDS_MAX = 60

/** A service was away, and stayed away for longer than a restart takes. */
export class ServiceAwayError extends Error {
  override readonly name = 'ServiceAwayError'
  constructor(service: string, seconds: number, why: string) {
    super(`${service} was away for ${seconds} s (${why})`)
  }
}

/** An attempt has no answer yet. */
class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
  override readonly message = 'no answer'
}

export interface WaitOptions {
  /** where the service is, for people: no secrets */
  readonly service: string
  /** whether the same attempt may succeed a moment later; every other error ends the wait at once */
  readonly isAway: (error: unknown) => boolean
  /** told of each attempt that came to nothing, or has no answer yet */
  readonly onWait: (error: unknown) => void
  /** default 60 */
  readonly secondsMax?: number | undefined
}

/**
 * Attempts something until its service is there: again after a quarter of a second, then twice as long each time.
 * @throws {ServiceAwayError} when it stays away; an attempt still under way is then left to itself
 */
export async function waitFor<T>(attempt: () => Promise<T>, options: WaitOptions): Promise<T> {
  const { service, isAway, onWait, secondsMax = SECONDS_MAX } = options
  const until = performance.now() + 1000 * secondsMax
  const giveUp = (error: unknown) => new ServiceAwayError(service, secondsMax, reasonOf(error))
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

/** A code where there is one: messages of services may quote what they were given. */
export function reasonOf(error: unknown): string {
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
