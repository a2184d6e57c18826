const ATTEMPTS_MAX = 3
const PAUSE_MS = 200
/** A proxy without a server behind it, and a server whose services are away. */
const AWAY = new Set([502, 503])

/**
 * Sends a request again whose connection was lost, where that does nothing twice: one that reads, and one
 * with an idempotency key.
 * @param fetch takes the request whole
 */
export const repeating =
  (fetch: (request: Request) => Promise<Response>) =>
  async (request: Request): Promise<Response> => {
    const mayRepeat = request.method === 'GET' || request.headers.has('idempotency-key')
    for (let left = mayRepeat ? ATTEMPTS_MAX - 1 : 0; ; left--) {
      try {
        const response = await fetch(request.clone())
        if (left === 0 || !AWAY.has(response.status)) return response
      } catch (error) {
        if (left === 0 || request.signal.aborted) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }

/** Browsers give `randomUUID` to secure pages alone. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
