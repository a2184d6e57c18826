/** The half of the session that the page keeps. No other port of this machine can read this storage. */
const SESSION_KEY = 'treeos-key'

let sessionListeners: (() => void)[] = []

export const sessionKey = (): string | null => localStorage.getItem(SESSION_KEY)

export function keepKey(key: string | null): void {
  if (key === null) localStorage.removeItem(SESSION_KEY)
  else localStorage.setItem(SESSION_KEY, key)
  for (const listener of sessionListeners) listener()
}

/** Other tabs sign in and out too. @returns ends it */
export function onKeyChange(listener: () => void): () => void {
  sessionListeners.push(listener)
  window.addEventListener('storage', listener)
  return () => {
    sessionListeners = sessionListeners.filter((one) => one !== listener)
    window.removeEventListener('storage', listener)
  }
}
