import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { quote, TreeosError } from '@treeos/core'
import { isTerminal } from './accounts/terminals.ts'
import { createApp } from './app.ts'
import { bounds } from './authorize/bounds.ts'
import { TokenSeats } from './authorize/tokens.ts'
import { PAGE_FOLDER } from './build-page.ts'
import { type Addresses, addressesBehind } from './edge/address.ts'
import { namesFor, originsFor, publicUrl } from './edge/names.ts'
import { BuiltPage } from './edge/page.ts'
import { Tabs } from './inhabit/tabs.ts'
import { Courier, type CourierOptions } from './outlets/courier.ts'
import type { Portal } from './portal.ts'
import type { OpenMcp } from './routes/mcp.ts'
import { Streams } from './routes/streams.ts'

export interface ServeOptions {
  /** 0 takes a free one */
  readonly port: number
  /** the address to listen on; loopback when left out */
  readonly listen?: string | undefined
  /** names by which browsers may reach it, beside those of loopback */
  readonly hosts?: readonly string[] | undefined
  /** origins whose pages may call what is for programs, with an access token; none when left out */
  readonly origins?: readonly string[] | undefined
  /**
   * addresses and networks of proxies that may say for whom they ask, and by which address; none when left out
   */
  readonly proxies?: readonly string[] | undefined
  /** acts of one person within a minute; 120 when left out */
  readonly actsPerMinute?: number | undefined
  /** the secret by which a scraper reads `/metrics`; without one nothing is there */
  readonly scrapeToken?: string | undefined
  /** how people are told beside the page what waits for them */
  readonly outlets?: CourierOptions | undefined
  /** opens the door of MCP, which is then at `/mcp` */
  readonly openMcp?: OpenMcp | undefined
  /** the folder of the built page; the one of this package when left out */
  readonly page?: string | undefined
}

export interface ServedPortal {
  readonly url: string
  /** Takes no more requests, and ends every stream. */
  close(): Promise<void>
}

const CONNECTIONS_MAX = 512
/** Of these, from one address that is not a proxy of ours. */
const CONNECTIONS_MAX_PER_ADDRESS = 256
const HEADERS_MS = 10_000
/**
 * Longer than proxies keep a connection that nobody uses, nginx 75 s: else they send a request on one that
 * has just been closed.
 */
const KEEP_ALIVE_MS = 95_000
/** Where proxies are named, which are not strangers: load balancers of clouds keep one for ten minutes. */
const KEEP_ALIVE_OF_PROXIES_MS = 620_000
const REQUEST_MS = 30_000

/** Serves the portal until it is closed. @throws {TreeosError} when it cannot listen */
export async function servePortal(portal: Portal, options: ServeOptions): Promise<ServedPortal> {
  const {
    port,
    listen = '127.0.0.1',
    hosts = [],
    proxies = [],
    actsPerMinute,
    openMcp,
    outlets,
    page = PAGE_FOLDER,
  } = options
  const addresses = addressesBehind(proxies)
  const streams = new Streams()
  const tabs = new Tabs(portal.onError)
  const seats = new TokenSeats(portal.at, portal.onError, (secret) => isTerminal(portal.store, secret))
  const bounded = bounds(actsPerMinute, portal.at.fileBounds?.fileBytesMax)
  const mcp =
    openMcp?.(portal.at, {
      countAct: bounded.acts,
      onError: (where, error) => portal.onError(`mcp ${where}`, error),
    }) ?? null
  const app = createApp(portal, new BuiltPage(page), {
    names: namesFor(listen, hosts),
    origins: originsFor(options.origins ?? []),
    addresses,
    bounded,
    mcp,
    scrapeToken: options.scrapeToken,
    streams,
    tabs,
    seats,
  })
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }))
  server.maxConnections = CONNECTIONS_MAX
  boundConnections(server, addresses)
  server.headersTimeout = HEADERS_MS
  server.requestTimeout = REQUEST_MS
  server.keepAliveTimeout = proxies.length > 0 ? KEEP_ALIVE_OF_PROXIES_MS : KEEP_ALIVE_MS
  await listenOn(server, port, listen)
  seats.start()
  const courier = new Courier(portal, outlets)
  courier.start()
  return {
    url: publicUrl(server.address() as AddressInfo, hosts),
    async close() {
      const closed = once(server, 'close')
      server.close()
      streams.endAll()
      tabs.close()
      server.closeAllConnections()
      await Promise.all([seats.close(), mcp?.close(), courier.close()])
      await closed
    },
  }
}

function boundConnections(server: Server, addresses: Addresses): void {
  const open = new Map<string, number>()
  server.on('connection', (socket) => {
    if (addresses.isProxy(socket.remoteAddress)) return
    const address = addresses.of(socket.remoteAddress, undefined)
    const now = (open.get(address) ?? 0) + 1
    open.set(address, now)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left === 0) open.delete(address)
      else open.set(address, left)
    })
    if (now > CONNECTIONS_MAX_PER_ADDRESS) socket.destroy()
  })
}

async function listenOn(server: Server, port: number, listen: string): Promise<void> {
  try {
    server.listen(port, listen)
    await once(server, 'listening')
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code
    if (code === 'EADDRINUSE')
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        `port ${port} is taken: name another one, or 0 for a free one`,
      )
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new TreeosError('INVALID_INPUT', `cannot listen on ${quote(listen)} port ${port} (${code})`)
    throw error
  }
}
