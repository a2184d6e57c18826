/** Most bytes read of an answer. A decision has at most 2 × 64 KiB, and JSON in JSON may write a byte as six. */
export const ANSWER_BYTES_MAX = 1024 * 1024
/** The same of a stream, which wraps each token in an event. */
const STREAM_BYTES_MAX = 64 * ANSWER_BYTES_MAX

export const STREAM_TYPE = 'text/event-stream'

/** The answer cannot be used, and a retry would not change that. The message quotes nothing of the answer. */
export class UnusableAnswerError extends Error {
  override readonly name = 'UnusableAnswerError'
}

/**
 * A fetch for untrusted servers. It follows no redirect, since the request holds a key and a prompt. It resolves once the
 * whole body has arrived, so the caller's signal bounds a slow body too. Of an answer that was asked for as a stream, and is one,
 * the body comes later. From an error response it keeps the status and the retry headers. It reads the body of a 400 or 422 only
 * to find which limit of tokens it names, see {@link NAMED_LIMITS}.
 * @throws {UnusableAnswerError} when the body is longer than {@link ANSWER_BYTES_MAX}; the rest is not read
 */
export function boundFetch(fetch: typeof globalThis.fetch = globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' })
    const { status } = response
    if (!response.ok) {
      const headers = retryHeaders(response.headers)
      if (status === 400 || status === 422)
        headers.set(NAMED_LIMITS, (await limitsNamedIn(response)).join(' '))
      else await response.body?.cancel()
      if (status > 599) throw new UnusableAnswerError(`model answered ${status}, which is not an HTTP status`)
      return new Response(null, { status, headers })
    }
    const asked = new Headers(init?.headers).get('accept')
    if (asked === STREAM_TYPE && response.body !== null && isStream(response))
      return new Response(bounded(response.body), { headers: { 'content-type': STREAM_TYPE } })
    return new Response(await readBounded(response), { headers: { 'content-type': 'application/json' } })
  }
}

export const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() === STREAM_TYPE

/** Fails with an {@link UnusableAnswerError} after too many bytes, and closes the connection. */
function bounded(body: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let length = 0
  return body.pipeThrough(
    new TransformStream({
      transform(chunk, controller) {
        length += chunk.length
        if (length > STREAM_BYTES_MAX)
          controller.error(
            new UnusableAnswerError(`model answered with more than ${STREAM_BYTES_MAX} bytes of events`),
          )
        else controller.enqueue(chunk)
      },
    }),
  )
}

/** The two names of the limit of an answer's tokens. Each is refused by some endpoints. */
export const TOKEN_LIMITS = ['max_tokens', 'max_completion_tokens'] as const
export type TokenLimit = (typeof TOKEN_LIMITS)[number]

/** A header of our own: which of these names the body of an error names. */
export const NAMED_LIMITS = 'x-treeos-named-limits'

async function limitsNamedIn(response: Response): Promise<TokenLimit[]> {
  const text = await readBounded(response).then(
    (bytes) => Buffer.from(bytes).toString('latin1'),
    () => '',
  )
  return TOKEN_LIMITS.filter((name) => new RegExp(`\\b${name}\\b`).test(text))
}

async function readBounded(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop early cancels the body and closes the connection. The count is of decompressed bytes.
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > ANSWER_BYTES_MAX)
      throw new UnusableAnswerError(`model answered with more than ${ANSWER_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function retryHeaders(headers: Headers): Headers {
  const kept = new Headers()
  for (const name of ['retry-after', 'retry-after-ms']) {
    const value = headers.get(name)
    if (value !== null) kept.set(name, value)
  }
  return kept
}
