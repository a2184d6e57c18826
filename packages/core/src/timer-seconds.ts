import { TreeosError } from './error.ts'
import { quote } from './names.ts'

/**
 * The longest time of one timer: 24.8 days. Node takes a longer one for 1 ms and only warns, so what should
 * wait for a month would happen at once.
 */
export const TIMER_SECONDS_MAX = Math.floor((2 ** 31 - 1) / 1000)

/**
 * Seconds as the time of one timer: whole milliseconds, which `AbortSignal.timeout` asks for, and no more than
 * Node waits for.
 * @param seconds from 0; any number of them, also those that extensions and callers choose
 */
export const timerMs = (seconds: number): number =>
  Math.ceil(1000 * Math.min(Math.max(seconds, 0), TIMER_SECONDS_MAX))

/** What a setting of seconds takes. */
export const TIMER_SECONDS = `a number of seconds above 0, at most ${TIMER_SECONDS_MAX}`

/**
 * A setting of seconds that becomes a timer.
 * @param own where it is not set
 * @throws {TreeosError} INVALID_INPUT naming it
 */
export function timerSecondsIn(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  own: number,
): number {
  const text = env[name]
  if (text === undefined || text.trim() === '') return own
  const seconds = Number(text)
  if (seconds > 0 && seconds <= TIMER_SECONDS_MAX) return seconds
  throw new TreeosError('INVALID_INPUT', `${name} is ${quote(text)}; it takes ${TIMER_SECONDS}`)
}
