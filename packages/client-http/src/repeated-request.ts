const ATTEMPTS_MAX = 3
const PAUSE_MS = 200
/** A caller that is told to wait longer is told so, and decides itself. */
const PAUSE_MS_MAX = 60_000
/** A proxy without a server behind it, one that waited too long for it, and a server whose services are away. */
const AWAY = new Set([502, 503, 504])

/**
 * Sends a request again whose connection or answer was lost, where that does nothing twice: one that reads,
 * and one with an idempotency key. The answer is read whole, since a body may be cut short too.
 * @param fetch takes the request whole
 */
export const repeating =
  (fetch: (request: Request) => Promise<Response>) =>
  async (request: Request): Promise<Response> => {
    const mayRepeat = request.method === 'GET' || request.headers.has('idempotency-key')
    for (let left = mayRepeat ? ATTEMPTS_MAX - 1 : 0; ; left--) {
      let pauseMs = PAUSE_MS
      try {
        const response = await whole(await fetch(request.clone()))
        const told = pauseBefore(response)
        if (left === 0 || told === null) return response
        pauseMs = told
      } catch (error) {
        if (left === 0 || request.signal.aborted) throw error
      }
      await pause(pauseMs, request.signal)
    }
  }

/**
 * How long to wait before the same request is sent again.
 * @returns null for an answer that counts
 */
export function pauseBefore({ status, headers }: Response, now = Date.now()): number | null {
  if (status !== 429 && !AWAY.has(status)) return null
  const told = headers.get('retry-after')
  if (told === null) return status === 429 ? null : PAUSE_MS
  const ms = /^\d+$/.test(told.trim()) ? 1000 * Number(told) : Date.parse(told) - now
  if (Number.isNaN(ms)) return PAUSE_MS
  return ms > PAUSE_MS_MAX ? null : Math.max(PAUSE_MS, ms)
}

/** Ends early, without an error, when the signal aborts. */
export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (signal?.aborted === true) end()
    else signal?.addEventListener('abort', end)
  })

/** @throws {TypeError} for a body that was cut short, also for JSON that a proxy cut and ended well */
async function whole(response: Response): Promise<Response> {
  const { status, statusText, headers, body } = response
  const type = headers.get('content-type') ?? ''
  if (body === null || type.startsWith('text/event-stream')) return response
  const bytes = await response.arrayBuffer()
  if (response.ok && /^application\/json\b/.test(type)) requireJson(bytes)
  return new Response(bytes, { status, statusText, headers })
}

function requireJson(bytes: ArrayBuffer): void {
  try {
    JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    throw new TypeError(`the answer was cut short after ${bytes.byteLength} bytes`)
  }
}

/** Browsers give `randomUUID` to secure pages alone. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
