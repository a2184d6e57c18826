/** The half of the session that the page keeps. No other port of this machine can read this storage. */
const NAME = 'treeos-key'

let listeners: (() => void)[] = []

export const sessionKey = (): string | null => localStorage.getItem(NAME)

export function keepKey(key: string | null): void {
  if (key === null) localStorage.removeItem(NAME)
  else localStorage.setItem(NAME, key)
  for (const listener of listeners) listener()
}

/** Other tabs sign in and out too. @returns ends it */
export function onKeyChange(listener: () => void): () => void {
  listeners.push(listener)
  window.addEventListener('storage', listener)
  return () => {
    listeners = listeners.filter((one) => one !== listener)
    window.removeEventListener('storage', listener)
  }
}
