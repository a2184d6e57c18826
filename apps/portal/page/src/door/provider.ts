/** What this tab asked a provider for. Nothing else reads it: storage of a tab belongs to one origin. */
interface ProviderAttempt {
  readonly attempt: string
  /** a link that it is to open; null for a sign-in or a connection */
  readonly token: string | null
  readonly isConnecting: boolean
}

const ATTEMPT_KEY = 'treeos-provider'

/** Goes to the provider, which sends this tab back to `/provider`. */
export function leaveForProvider(url: string, asked: ProviderAttempt): void {
  sessionStorage.setItem(ATTEMPT_KEY, JSON.stringify(asked))
  location.assign(url)
}

/** What this tab asked for, once. */
export function takeAsked(): ProviderAttempt | null {
  const stored = sessionStorage.getItem(ATTEMPT_KEY)
  sessionStorage.removeItem(ATTEMPT_KEY)
  return stored === null ? null : (JSON.parse(stored) as ProviderAttempt)
}
