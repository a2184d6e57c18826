import type { Readable } from 'node:stream'
import { type ArrivingAnswer, arrivingOf, egressRequest } from '@treeos/egress'
import { type EndpointRefusal, readRefusal } from './refusal.ts'

/**
 * Most bytes read of an answer. A decision has at most 2 × 64 KiB, and JSON in JSON may write a byte as six.
 */
export const ANSWER_BYTES_MAX = 1024 * 1024

const STREAM_TYPE = 'text/event-stream'
/** Most bytes read of the body of a refusal, and how long they may take. */
const REFUSAL_BYTES_MAX = 64 * 1024
const REFUSAL_MS_MAX = 2000

/** The answer cannot be used, and a retry would not change that. The message quotes nothing of the answer. */
export class UnusableAnswerError extends Error {
  override readonly name = 'UnusableAnswerError'
}

export type EndpointReply =
  | { readonly refusal: EndpointRefusal }
  | { readonly text: string }
  | { readonly events: AsyncIterable<Uint8Array> }

/** A request. */
export type ModelHttpRequest = Parameters<typeof egressRequest>[1]

export interface ExchangeOptions {
  readonly fetch?: typeof globalThis.fetch
  /** optional fields of the request, which a refusal may name */
  readonly fields?: readonly string[]
  /** hears the text of a refusal, which may quote prompt and key */
  readonly hear?: ((text: string) => void) | undefined
}

/**
 * Sends one request to an untrusted server. It follows no redirect, since the request holds a key and a
 * prompt. It resolves once the whole body has arrived, so the caller's signal bounds a slow body too. Of a
 * stream, the body comes later. Of a refusal it reads a part of the body, to find what it is about, and keeps
 * no text of it.
 * @throws {UnusableAnswerError} when the body is longer than {@link ANSWER_BYTES_MAX}; the rest is not read
 */
export async function exchange(
  url: URL,
  init: ModelHttpRequest,
  { fetch, fields = [], hear }: ExchangeOptions = {},
): Promise<EndpointReply> {
  const arriving =
    fetch === undefined
      ? await egressRequest(url, init)
      : arrivingOf(await fetch(url, { ...(init as RequestInit), redirect: 'manual' }))
  const { status, headers, body } = arriving
  if (status < 200 || status > 299) {
    const text = await readStart(body)
    hear?.(text)
    return { refusal: readRefusal({ status, headers, body: text }, fields) }
  }
  if (isStream(headers)) return { events: piecesOf(body) }
  const text = await readBounded(body)
  // Some servers send a stream as something else.
  return /^\s*(?:data|event|id|:)[^{}]{0,40}[{:]/.test(text) ? { events: inOne(text) } : { text }
}

/**
 * The chunks of a body. An error of the connection becomes a TypeError `terminated`, as `fetch` throws it.
 */
async function* piecesOf(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (error) {
    throw new TypeError('terminated', { cause: error })
  }
}

async function* inOne(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
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

const isStream = (headers: ArrivingAnswer['headers']): boolean =>
  headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() === STREAM_TYPE

/** The first bytes of the body of a refusal, as far as they come soon. */
async function readStart(body: Readable): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  const late = setTimeout(() => body.destroy(), REFUSAL_MS_MAX)
  try {
    for await (const chunk of body) {
      length += chunk.length
      chunks.push(chunk)
      if (length >= REFUSAL_BYTES_MAX) break
    }
  } catch {
    // A refusal counts without its body.
  } finally {
    clearTimeout(late)
    body.destroy()
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

async function readBounded(body: Readable): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop early closes the connection. The count is of decompressed bytes.
  for await (const chunk of piecesOf(body)) {
    length += chunk.length
    if (length > ANSWER_BYTES_MAX)
      throw new UnusableAnswerError(`model answered with more than ${ANSWER_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}
