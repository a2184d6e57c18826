import { timerMs } from '@treeos/core'

/**
 * Aborts at an instant, however far away it is. It keeps no process alive.
 * @param instant ms since 1970 UTC
 */
export function abortAt(instant: number): AbortSignal {
  const over = new AbortController()
  const wait = (): void => {
    const left = instant - Date.now()
    if (left <= 0) over.abort()
    else setTimeout(wait, timerMs(left / 1000)).unref()
  }
  wait()
  return over.signal
}
