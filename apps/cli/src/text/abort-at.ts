/** Node takes a longer timer for 1 ms. */
const TIMER_MS_MAX = 2 ** 31 - 1

/**
 * Aborts at an instant, however far away it is. It keeps no process alive.
 * @param instant ms since 1970 UTC
 */
export function abortAt(instant: number): AbortSignal {
  const over = new AbortController()
  const wait = (): void => {
    const left = instant - Date.now()
    if (left <= 0) over.abort()
    else setTimeout(wait, Math.min(left, TIMER_MS_MAX)).unref()
  }
  wait()
  return over.signal
}
