/** Clients give a call up after a minute on which they hear nothing. */
const EVERY_MS = 5_000

interface ProgressContext {
  readonly _meta?: { readonly progressToken?: string | number } | undefined
  notify(notification: { method: 'notifications/progress'; params: Record<string, unknown> }): Promise<void>
}

/** Tells a client that asked for it that its call is still at work. @returns ends it */
export function tellProgress(
  { _meta, notify }: ProgressContext,
  onError: (error: unknown) => void,
): () => void {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return () => undefined
  let progress = 0
  const telling = setInterval(() => {
    progress += 1
    const params = { progressToken, progress, message: `at work for ${(progress * EVERY_MS) / 1000} s` }
    notify({ method: 'notifications/progress', params }).catch(onError)
  }, EVERY_MS)
  return () => clearInterval(telling)
}
