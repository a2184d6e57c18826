import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type NodeServerResponseLike, toNodeHandler } from '@modelcontextprotocol/node'
import {
  localhostAllowedHostnames,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import { type Connection, refusalOf, requireToken } from '@treeos/client'
import { ERROR_STATUS, quote, TreeosError } from '@treeos/core'
import { writtenOut } from './accept.ts'
import { MESSAGE_BYTES_MAX } from './bounds.ts'
import { Door, type DoorOptions, type Visitor } from './door.ts'

export interface EdgeOptions extends DoorOptions {
  /** 0 takes a free one */
  readonly port: number
  /** the address to listen on; loopback when left out */
  readonly listen?: string
  /** names by which clients and pages may reach this server, beside those of loopback */
  readonly hosts?: readonly string[]
}

export interface Edge {
  readonly url: string
  /** Takes no more requests, ends every session and gives every being back. */
  close(): Promise<void>
}

const PATH = '/mcp'
const CONNECTIONS_MAX = 256
const HEADERS_MS = 10_000
const REQUEST_MS = 30_000

/** Serves clients that have a token, over Streamable HTTP. */
export async function serveHttp(at: Connection, options: EdgeOptions): Promise<Edge> {
  const { port, listen = '127.0.0.1', hosts = [], onError } = options
  const door = new Door(at, options)
  // An address is safe as a name: nobody can make it lead here. 0.0.0.0 and :: stand for all addresses and are not names.
  const own = ['0.0.0.0', '::'].includes(listen) ? [] : [listen.includes(':') ? `[${listen}]` : listen]
  const names = [...new Set([...localhostAllowedHostnames(), ...own, ...hosts.map(nameOf)])]
  const server = createServer((request, response) => {
    answer(request, response, { at, door, names, onError }).catch((error: unknown) => {
      if (!(error instanceof TreeosError)) onError('http', error)
      refuse(response, refusalOf(error))
    })
  })
  server.maxConnections = CONNECTIONS_MAX
  server.headersTimeout = HEADERS_MS
  server.requestTimeout = REQUEST_MS
  try {
    server.listen(port, listen)
    await once(server, 'listening')
  } catch (error) {
    await door.close()
    throw listenFailure(error, port, listen)
  }
  const { address, family, port: taken } = server.address() as AddressInfo
  return {
    url: `http://${own.length === 0 ? 'localhost' : family === 'IPv6' ? `[${address}]` : address}:${taken}${PATH}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      await door.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** As clients send it: without a scheme, path or port, in small letters. */
const nameOf = (host: string): string =>
  URL.parse(host.includes('://') ? host : `http://${host}`)?.hostname ?? host

interface Inside {
  readonly at: Connection
  readonly door: Door
  readonly names: string[]
  readonly onError: EdgeOptions['onError']
}

/** Checks the token before it reads the body. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { at, door, names, onError }: Inside,
): Promise<void> {
  requireOwnName(request, names)
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
  if (url.pathname !== PATH)
    throw new TreeosError('ACTION_NOT_SUPPORTED', `nothing is at ${quote(url.pathname)}; MCP is at ${PATH}`)
  const visitor = await requireVisitor(at, request)
  await door.bounds.request(visitor.issuer)
  const body = await readBody(request)
  if (body !== null) await requireVisitor(at, request) // it may have been revoked while the body came
  const message = body === null ? undefined : parse(body)
  delete request.headers.authorization // the secret goes no further than here
  request.headers.accept = writtenOut(request.headers.accept, request.method)
  const handler = toNodeHandler(
    {
      fetch: (asked) =>
        door.answer(asked, message, visitor).catch((error: unknown) => {
          if (!(error instanceof TreeosError)) onError('http', error)
          return refusalResponse(refusalOf(error))
        }),
    },
    { onerror: (error) => onError('http', error) },
  )
  await handler(request, flushing(response), message)
}

/** Refuses DNS rebinding: a page whose own name was made to lead here sends that name as host or origin. */
function requireOwnName({ headers }: IncomingMessage, names: string[]): void {
  const host = validateHostHeader(headers.host, names)
  if (!host.ok) throw new TreeosError('FORBIDDEN', `${host.message}; this server is ${names.join(', ')}`)
  const origin = validateOriginHeader(headers.origin, names)
  if (!origin.ok) throw new TreeosError('FORBIDDEN', `${origin.message}; this server is ${names.join(', ')}`)
}

async function requireVisitor(at: Connection, { headers }: IncomingMessage): Promise<Visitor> {
  const [, secret] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
  if (secret === undefined)
    throw new TreeosError(
      'UNAUTHORIZED',
      'a token is missing: send `Authorization: Bearer SECRET`; `treeos token create` makes one',
    )
  return requireToken(at, secret)
}

/** @throws {TreeosError} PAYLOAD_TOO_LARGE */
async function readBody(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | null> {
  if (request.method === 'GET' || request.method === 'HEAD') return null
  const tooLarge = () =>
    new TreeosError('PAYLOAD_TOO_LARGE', `the request is larger than ${MESSAGE_BYTES_MAX} bytes`)
  if (Number(request.headers['content-length'] ?? 0) > MESSAGE_BYTES_MAX) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
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

/** The same response, with its headers sent at once: on a stream, nothing else may be sent for long. */
const flushing = (response: ServerResponse): NodeServerResponseLike => ({
  writeHead(status, headers) {
    response.writeHead(status, headers)
    response.flushHeaders()
  },
  write: (chunk) => response.write(chunk),
  end: (chunk) => response.end(chunk),
  on: (event, listener) => response.on(event, listener),
  get destroyed() {
    return response.destroyed
  },
})

function refuse(response: ServerResponse, refusal: TreeosError): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  response.writeHead(ERROR_STATUS[refusal.code], refusalHeaders(refusal)).end(refusalBody(refusal))
}

const refusalResponse = (refusal: TreeosError): Response =>
  new Response(refusalBody(refusal), {
    status: ERROR_STATUS[refusal.code],
    headers: refusalHeaders(refusal),
  })

const refusalBody = (refusal: TreeosError): string => JSON.stringify({ error: refusal.toJSON() })

/**
 * A token that does not hold is told by RFC 6750, without an address of an authorization server: there is none to ask, so a client tells its
 * user instead.
 */
const challengeOf = (message: string): string =>
  `Bearer realm="treeos", error="invalid_token", error_description="${message.replaceAll(/[^ !#-[\]-~]/g, "'")}"`

const refusalHeaders = ({ code, message }: TreeosError): Record<string, string> => ({
  'content-type': 'application/json',
  'cache-control': 'no-store',
  ...(code === 'UNAUTHORIZED' ? { 'www-authenticate': challengeOf(message) } : {}),
  // The rest of the request, if it was not read, would come before the next one.
  connection: 'close',
})

function listenFailure(error: unknown, port: number, listen: string): unknown {
  const code = (error as { code?: unknown } | null)?.code
  if (code === 'EADDRINUSE')
    return new TreeosError(
      'RESOURCE_CONFLICT',
      `port ${port} is taken: name another one, or 0 for a free one`,
    )
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new TreeosError(
      'INVALID_INPUT',
      `cannot listen on ${quote(listen)} port ${port} (${code}): name another address or port`,
    )
  return error
}
