/** Most bytes read of an answer. A decision has at most 2 × 64 KiB, and JSON in JSON may write a byte as six. */
export const ANSWER_BYTES_MAX = 1024 * 1024

const STREAM_TYPE = 'text/event-stream'
const RETRY_AFTER_MS_MAX = 3_600_000

/** The two names of the limit of an answer's tokens. Each is refused by some endpoints. */
export const TOKEN_LIMITS = ['max_tokens', 'max_completion_tokens'] as const
export type TokenLimit = (typeof TOKEN_LIMITS)[number]

/** The answer cannot be used, and a retry would not change that. The message quotes nothing of the answer. */
export class UnusableAnswerError extends Error {
  override readonly name = 'UnusableAnswerError'
}

/** An answer whose status is no success. */
export interface Refusal {
  readonly status: number
  /** the server's Retry-After in ms, from 0 to an hour */
  readonly retryAfterMs: number | undefined
  /** of a 400 or 422: which names of the limit of tokens its body names */
  readonly namedLimits: readonly TokenLimit[]
}

export type Reply =
  | { readonly refusal: Refusal }
  | { readonly text: string }
  | { readonly events: ReadableStream<Uint8Array> }

/**
 * Sends one request to an untrusted server. It follows no redirect, since the request holds a key and a prompt. It resolves once the
 * whole body has arrived, so the caller's signal bounds a slow body too. Of an answer that was asked for as a stream, and is one,
 * the body comes later. Of a refusal it reads the body only to find which limit of tokens it names.
 * @throws {UnusableAnswerError} when the body is longer than {@link ANSWER_BYTES_MAX}; the rest is not read
 */
export async function exchange(
  url: URL,
  init: RequestInit,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<Reply> {
  const response = await fetch(url, { ...init, redirect: 'manual' })
  const { status, headers, body } = response
  if (!response.ok) {
    const namedLimits = status === 400 || status === 422 ? await limitsNamedIn(response) : []
    await body?.cancel()
    return { refusal: { status, retryAfterMs: readRetryAfter(headers), namedLimits } }
  }
  const asked = new Headers(init.headers).get('accept')
  if (asked === STREAM_TYPE && body !== null && isStream(headers)) return { events: body }
  return { text: await readBounded(response) }
}

/** The headers of a request. @throws {TypeError} for a key that HTTP cannot carry */
export const headersFor = (apiKey: string | null, isStreamed = false): Headers =>
  new Headers({
    accept: isStreamed ? STREAM_TYPE : 'application/json',
    'content-type': 'application/json',
    ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  })

/** The address of a resource of an endpoint. The query of the base URL, which may hold a key, stays. */
export function urlOf(baseUrl: string, path: string): URL {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`
  return url
}

const isStream = (headers: Headers): boolean =>
  headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() === STREAM_TYPE

async function limitsNamedIn(response: Response): Promise<TokenLimit[]> {
  const text = await readBounded(response).catch(() => '')
  return TOKEN_LIMITS.filter((name) => new RegExp(`\\b${name}\\b`).test(text))
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop early cancels the body and closes the connection. The count is of decompressed bytes.
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > ANSWER_BYTES_MAX)
      throw new UnusableAnswerError(`model answered with more than ${ANSWER_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

function readRetryAfter(headers: Headers): number | undefined {
  const ms = headers.get('retry-after-ms') ?? Number.NaN
  const after = headers.get('retry-after') ?? Number.NaN
  const waits = [Number(ms), Number(after) * 1000, Date.parse(String(after)) - Date.now()]
  const wait = waits.find((value) => Number.isFinite(value) && value >= 0)
  return wait === undefined ? undefined : Math.min(Math.ceil(wait), RETRY_AFTER_MS_MAX)
}
