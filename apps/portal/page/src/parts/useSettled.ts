import { useEffect, useState } from 'react'

/**
 * How long a button stays off after it came into view. A second press may have been meant for what stood
 * there before.
 */
const SETTLES_MS = 800

/** Whether what is shown has stood long enough to be pressed. */
export function useSettled(): boolean {
  const [isSettled, settle] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => settle(true), SETTLES_MS)
    return () => clearTimeout(timer)
  }, [])
  return isSettled
}
