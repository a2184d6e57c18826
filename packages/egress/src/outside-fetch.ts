import { lookup as lookUp } from 'node:dns/promises'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { type PeerCertificate, checkServerIdentity as tlsIdentity } from 'node:tls'
import { TreeosError, timerMs } from '@treeos/core'
import type { Dispatcher } from 'undici'
import { bare, holdsSecret, proxyFor, proxyResolves } from './proxy.ts'

const TIMEOUT_SECONDS = 10

interface OutsideRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly timeoutSeconds?: number
}

interface OutsideAnswer {
  readonly status: number
  readonly ok: boolean
  header(name: string): string | null
  text(): string
  json(): unknown
}

/** Who fetches, and the setting by which the operator allows private hosts. */
interface FetcherSettings {
  readonly who: string
  readonly setting: string
}

const OF_EFFECTS: FetcherSettings = { who: 'an effect', setting: 'TREEOS_FETCH_PRIVATE' }
const BODY_BYTES_MAX = 1024 * 1024

/**
 * Makes an HTTP client for addresses that somebody else chose: that of effects, and that of webhooks. It
 * bounds time and size, follows no redirect and sends no compression header. It connects to public addresses
 * only: an address that a being or a model chose must not reach servers of this machine or network. The
 * address is checked when the connection is made, so a name that changes its address meanwhile gains nothing.
 * It goes by the proxies of the environment, and sends no secret that a proxy would read.
 * @param privateHosts hosts, or host:port, that may have a private address
 * @param attempt aborted when the attempt is over
 * @param whose for the words of a refusal; those of effects when left out
 */
export function outsideFetch(
  privateHosts: readonly string[],
  attempt: AbortSignal,
  whose: FetcherSettings = OF_EFFECTS,
): (address: string | URL, request?: OutsideRequest) => Promise<OutsideAnswer> {
  return async (address, { method = 'GET', headers = {}, body, timeoutSeconds = TIMEOUT_SECONDS } = {}) => {
    const url = parseUrl(address, whose)
    const isAllowed = privateHosts.includes(url.hostname) || privateHosts.includes(url.host)
    if (!isAllowed) requirePublic(url.hostname, url, whose)
    const signal = AbortSignal.any([attempt, AbortSignal.timeout(timerMs(timeoutSeconds))])
    const sent = { method, headers: { 'accept-encoding': 'identity', ...headers }, body, signal }
    const lookup = isAllowed ? undefined : publicLookup(url, whose)
    const proxy = proxyFor(url, false)
    // Whoever chose the address could go round the proxy, where it guards what leaves, by a header that looks
    // like a secret.
    if (proxy !== null && url.protocol === 'http:' && holdsSecret(url, new Headers(headers)))
      throw new TreeosError(
        'INVALID_INPUT',
        `${whose.who} sends what may be a secret to ${url.host} over plain HTTP, which the proxy would read: use https`,
      )
    const answer = await (proxy === null ? direct(url, sent, lookup) : byProxy(proxy, url, sent, lookup))
    const bytes = await readOutsideBody(answer.body, url, signal).finally(() => answer.close?.())
    return {
      status: answer.status,
      ok: answer.status >= 200 && answer.status < 300,
      header: (name) => [answer.headers[name.toLowerCase()]].flat()[0] ?? null,
      text: () => new TextDecoder().decode(bytes),
      json: () => JSON.parse(new TextDecoder().decode(bytes)),
    }
  }
}

interface PreparedRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
  readonly signal: AbortSignal
}

/** An answer whose body has not arrived yet. */
interface OutsideStream {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: AsyncIterable<Buffer>
  close?(): Promise<void>
}

/** @param lookup refuses private addresses; none where the operator allows the host */
function direct(
  url: URL,
  { body, ...sent }: PreparedRequest,
  lookup: LookupFunction | undefined,
): Promise<OutsideStream> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const asking = send(url, { ...sent, agent: false, lookup })
    asking
      .once('response', (answer) =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: answer }),
      )
      .once('error', (error) => reject(sent.signal.aborted ? sent.signal.reason : error))
    asking.end(body)
  })
}

/**
 * Through a tunnel to the address that was found here and is public: the proxy resolves no name, so a name
 * that has another address there gains nothing. Where the proxy alone resolves names, it gets the name, and
 * what is private is kept from it by the proxy.
 */
async function byProxy(
  proxy: URL,
  url: URL,
  { method, headers, body, signal }: PreparedRequest,
  lookup: LookupFunction | undefined,
): Promise<OutsideStream> {
  const host = lookup === undefined || proxyResolves() ? url.hostname : await publicAddress(url, lookup)
  const { ProxyAgent, request } = await import('undici')
  const servername = bare(url.hostname)
  const checkServerIdentity = (_: string, certificate: PeerCertificate) =>
    tlsIdentity(servername, certificate)
  const requestTls = { checkServerIdentity, ...(isIP(servername) === 0 ? { servername } : {}) }
  const dispatcher = new ProxyAgent({ uri: proxy.href, requestTls })
  const to = Object.assign(new URL(url), { hostname: host })
  try {
    const asked = { method: method as Dispatcher.HttpMethod, signal, dispatcher }
    const answer = await request(to, { ...asked, headers: { ...headers, host: url.host }, body })
    const { statusCode: status, headers: found, body: bytes } = answer
    return { status, headers: found, body: bytes, close: () => dispatcher.destroy() }
  } catch (error) {
    await dispatcher.destroy()
    throw signal.aborted ? signal.reason : error
  }
}

/** One address of the host, as the host of a URL. @throws {TreeosError} where one of them is private */
const publicAddress = ({ hostname }: URL, lookup: LookupFunction): Promise<string> =>
  new Promise((resolve, reject) => {
    if (isIP(bare(hostname)) !== 0) resolve(hostname)
    else
      lookup(hostname, { all: false }, (error, address) => {
        if (error !== null) reject(error)
        else resolve(isIP(`${address}`) === 6 ? `[${address}]` : `${address}`)
      })
  })

function parseUrl(address: string | URL, { who }: FetcherSettings): URL {
  const url = URL.parse(String(address))
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new TreeosError('INVALID_INPUT', `${who} fetches http(s) URLs only`)
  if (url.username !== '' || url.password !== '')
    throw new TreeosError('INVALID_INPUT', `the URL of ${url.host} holds a password: send a header instead`)
  return url
}

/** Resolves the host of a URL, and refuses unless all its addresses are public. */
const publicLookup =
  (url: URL, whose: FetcherSettings): LookupFunction =>
  (host, options, done) => {
    lookUp(host, {
      family: options.family === 'IPv4' ? 4 : options.family === 'IPv6' ? 6 : (options.family ?? 0),
      all: true,
    })
      .then((found) => {
        for (const { address } of found) requirePublic(address, url, whose)
        const [first] = found
        if (options.all === true) done(null, found)
        else done(null, first?.address ?? '', first?.family)
      })
      .catch((error: NodeJS.ErrnoException) => done(error, '', 0))
  }

/** @param host an address is checked; a name is not, since its addresses are */
function requirePublic(host: string, url: URL, { who, setting }: FetcherSettings): void {
  const address = bare(host)
  if (isIP(address) === 0 || !isPrivate(address)) return
  throw new TreeosError(
    'FORBIDDEN',
    `${url.host} has the private address ${address}: ${who} reaches it only if ${setting} names ${url.host}`,
  )
}

const PRIVATE = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(net, bits, 'ipv4')
/** Only global unicast addresses are public; of these, some carry an IPv4 address or are for documents. */
const GLOBAL = new BlockList()
GLOBAL.addSubnet('2000::', 3, 'ipv6')
const NOT_PUBLIC = new BlockList()
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  NOT_PUBLIC.addSubnet(net, bits, 'ipv6')

export function isPrivate(address: string): boolean {
  if (isIP(address) === 4) return PRIVATE.check(address, 'ipv4')
  return !GLOBAL.check(address, 'ipv6') || NOT_PUBLIC.check(address, 'ipv6')
}

async function readOutsideBody(
  body: AsyncIterable<Buffer>,
  { host }: URL,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      length += chunk.length
      if (length > BODY_BYTES_MAX)
        throw new TreeosError('PAYLOAD_TOO_LARGE', `${host} answered with more than ${BODY_BYTES_MAX} bytes`)
      chunks.push(chunk)
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  }
  return Buffer.concat(chunks)
}
