import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'
import { type NodeServerResponseLike, toNodeHandler } from '@modelcontextprotocol/node'
import {
  localhostAllowedHostnames,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import { type Connection, refusalOf } from '@treeos/client'
import { ERROR_STATUS, quote, TreeosError } from '@treeos/core'
import type { DoorOptions } from './door.ts'
import { type McpOverHttp, openMcp, refusalBody, refusalHeaders } from './over-http.ts'
import { toldByMcp } from './remedies.ts'

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
/**
 * Longer than proxies keep a connection that nobody uses, nginx 75 s: else they send a request on one that
 * has just been closed.
 */
const KEEP_ALIVE_MS = 95_000

/** Serves clients that have a token, over Streamable HTTP. */
export async function serveHttp(at: Connection, options: EdgeOptions): Promise<Edge> {
  const { port, listen = '127.0.0.1', hosts = [], onError } = options
  const mcp = openMcp(at, options)
  // An address is safe as a name: nobody can make it lead here. 0.0.0.0 and :: stand for all addresses and
  // are not names.
  const own = ['0.0.0.0', '::'].includes(listen) ? [] : [hostName(listen)]
  const names = [...new Set([...localhostAllowedHostnames(), ...own, ...hosts.map(hostName)])]
  const server = createServer((request, response) => {
    answerHttp(request, response, { mcp, names, onError }).catch((error: unknown) => {
      if (!(error instanceof TreeosError)) onError('http', error)
      refuse(response, toldByMcp(refusalOf(error)))
    })
  })
  server.maxConnections = CONNECTIONS_MAX
  server.headersTimeout = HEADERS_MS
  server.requestTimeout = REQUEST_MS
  server.keepAliveTimeout = KEEP_ALIVE_MS
  try {
    server.listen(port, listen)
    await once(server, 'listening')
  } catch (error) {
    await mcp.close()
    throw listenFailure(error, port, listen)
  }
  const { address, family, port: taken } = server.address() as AddressInfo
  return {
    url: `http://${own.length === 0 ? 'localhost' : family === 'IPv6' ? `[${address}]` : address}:${taken}${PATH}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      await mcp.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** As clients send it: without a scheme, path or port, in small letters, and IPv6 in brackets. */
const hostName = (host: string): string =>
  URL.parse(host.includes('://') ? host : `http://${isIPv6(host) ? `[${host}]` : host}`)?.hostname.replace(
    /\.$/,
    '',
  ) ?? host

interface McpRequest {
  readonly mcp: McpOverHttp
  readonly names: string[]
  readonly onError: EdgeOptions['onError']
}

async function answerHttp(
  request: IncomingMessage,
  response: ServerResponse,
  { mcp, names, onError }: McpRequest,
): Promise<void> {
  requireOwnName(request, names)
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
  if (url.pathname !== PATH)
    throw new TreeosError('ACTION_NOT_SUPPORTED', `nothing is at ${quote(url.pathname)}; MCP is at ${PATH}`)
  // Else the library takes a body without a type for plain text.
  if (request.method === 'POST') request.headers['content-type'] ??= 'application/json'
  const handler = toNodeHandler({ fetch: mcp.fetch }, { onerror: (error) => onError('http', error) })
  await handler(request, flushing(response))
}

/** Refuses DNS rebinding: a page whose own name was made to lead here sends that name as host or origin. */
function requireOwnName({ headers }: IncomingMessage, names: string[]): void {
  // A full name may end with a dot.
  const taken = names.flatMap((name) => [name, `${name}.`])
  const host = validateHostHeader(headers.host, taken)
  if (!host.ok) throw new TreeosError('FORBIDDEN', `${host.message}; this server is ${names.join(', ')}`)
  const origin = validateOriginHeader(headers.origin, taken)
  if (!origin.ok) throw new TreeosError('FORBIDDEN', `${origin.message}; this server is ${names.join(', ')}`)
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
