/** Most bytes read of any answer. A decision is at most two times 64 KiB; JSON in JSON may write a byte as six. */
const ANSWER_BYTES_MAX = 1024 * 1024

/** An answer came and can never be used, however often one asks. The message holds nothing of the answer. */
export class UnusableAnswerError extends Error {
  override readonly name = 'UnusableAnswerError'
}

/**
 * A fetch for answers of strangers. It follows no redirect, since what is asked holds a key and a prompt. It resolves
 * only once the whole body is here, so that the signal which bounds the call bounds the body too: a body that drips is
 * a call that lasts. Of an error only the status and the wish to wait are passed on, its body is never read.
 * @throws {UnusableAnswerError} when the body is longer than {@link ANSWER_BYTES_MAX}; the rest is not read
 */
export function boundFetch(fetch: typeof globalThis.fetch = globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' })
    const { status } = response
    if (!response.ok) {
      await response.body?.cancel()
      if (status > 599) throw new UnusableAnswerError(`model answered ${status}, which is no HTTP status`)
      return new Response(null, { status, headers: retryHeaders(response.headers) })
    }
    return new Response(await readBounded(response), { headers: { 'content-type': 'application/json' } })
  }
}

async function readBounded(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop early cancels the body and hangs up. What is counted is unpacked, so a small zip cannot grow large.
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
