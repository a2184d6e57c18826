import { type Connection, personFor, refusalOf, requireToken } from '@treeos/client'
import { ERROR_STATUS, mendedBy, quote, TreeosError } from '@treeos/core'
import { writtenOut } from './accept.ts'
import { MESSAGE_BYTES_MAX } from './bounds.ts'
import { Door, type DoorOptions, type Visitor } from './door.ts'
import { toldByMcp } from './remedies.ts'

/** MCP over Streamable HTTP, whichever server brings its requests. That server checks host and origin. */
export interface McpOverHttp {
  fetch(request: Request): Promise<Response>
  /** Ends every session and gives every being back. */
  close(): Promise<void>
}

export function openMcp(at: Connection, options: DoorOptions): McpOverHttp {
  const door = new Door(at, options)
  return {
    fetch: (request) =>
      answerMcp(request, at, door).catch((error: unknown) => {
        if (!(error instanceof TreeosError)) options.onError('http', error)
        return refusalResponse(toldByMcp(refusalOf(error)))
      }),
    close: () => door.close(),
  }
}

/** Checks the token before it reads the body. */
async function answerMcp(request: Request, at: Connection, door: Door): Promise<Response> {
  const visitor = await requireVisitor(at, request)
  await door.bounds.request(visitor.person)
  if (!METHODS.includes(request.method)) return methodRefused(request.method)
  const body = await readMcpBody(request)
  if (body !== null) await requireVisitor(at, request) // it may have been revoked while the body came
  const message = body === null ? undefined : parse(body)
  const headers = new Headers(request.headers)
  headers.delete('authorization') // the library reads no secret
  const accept = writtenOut(headers.get('accept') ?? undefined, request.method)
  if (accept !== undefined) headers.set('accept', accept)
  // The library refuses a body without a content type. Browsers always send one, so a page gains nothing by this.
  if (body !== null && !headers.has('content-type')) headers.set('content-type', 'application/json')
  const { url, method, signal } = request
  return door.answer(new Request(url, { method, headers, body, signal }), message, visitor)
}

const METHODS = ['GET', 'POST', 'DELETE']

/** By the rules of HTTP alone: a client that asks whether something is here learns what it may ask. */
const methodRefused = (method: string): Response =>
  new Response(
    method === 'HEAD'
      ? null
      : refusalBody(new TreeosError('ACTION_NOT_SUPPORTED', `MCP has no ${quote(method)}`)),
    {
      status: 405,
      headers: { allow: METHODS.join(', '), 'content-type': 'application/json', 'cache-control': 'no-store' },
    },
  )

async function requireVisitor(at: Connection, { headers }: Request): Promise<Visitor> {
  const [, secret] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
  if (secret === undefined)
    throw new TreeosError(
      'UNAUTHORIZED',
      'a token is missing: send `Authorization: Bearer SECRET`',
      mendedBy({ name: 'make-token' }),
    )
  const token = await requireToken(at, secret)
  return { ...token, person: await personFor(at, token), secret }
}

/** @throws {TreeosError} PAYLOAD_TOO_LARGE */
async function readMcpBody({ method, headers, body }: Request): Promise<Uint8Array<ArrayBuffer> | null> {
  if (method === 'GET' || method === 'HEAD' || body === null) return null
  const tooLarge = () =>
    new TreeosError('PAYLOAD_TOO_LARGE', `the request is larger than ${MESSAGE_BYTES_MAX} bytes`)
  if (Number(headers.get('content-length') ?? 0) > MESSAGE_BYTES_MAX) throw tooLarge()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > MESSAGE_BYTES_MAX) throw tooLarge()
    chunks.push(chunk)
  }
  return size === 0 ? null : new Uint8Array(Buffer.concat(chunks))
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new TreeosError('INVALID_INPUT', 'the body is not JSON in UTF-8')
  }
}

const refusalResponse = (refusal: TreeosError): Response =>
  new Response(refusalBody(refusal), {
    status: ERROR_STATUS[refusal.code],
    headers: refusalHeaders(refusal),
  })

/** A refusal as clients of MCP know it. */
export const refusalBody = (refusal: TreeosError): string => JSON.stringify({ error: refusal.toJSON() })

/**
 * A token that does not hold is told by RFC 6750, without an address of an authorization server: there is
 * none to ask, so a client tells its user instead.
 */
const challengeOf = (message: string): string =>
  `Bearer realm="treeos", error="invalid_token", error_description="${message.replaceAll(/[^ !#-[\]-~]/g, "'")}"`

export const refusalHeaders = ({ code, message }: TreeosError): Record<string, string> => ({
  'content-type': 'application/json',
  'cache-control': 'no-store',
  ...(code === 'UNAUTHORIZED' ? { 'www-authenticate': challengeOf(message) } : {}),
  // The rest of the request, if it was not read, would come before the next one.
  connection: 'close',
})
