import { BlockList, isIP } from 'node:net'
import { TreeosError } from '@treeos/core'

export type Env = Readonly<Record<string, string | undefined>>

/**
 * Names of headers by which providers take keys. A signature is not a key: it tells nobody how to make
 * another one.
 */
const SECRET = /auth|token|secret|cookie|passw|credential|(^|-)(api|subscription|access|private)?-?key$/
/** Their keys name a request, and open nothing. */
const OPEN = new Set(['idempotency-key', 'sec-websocket-key'])

/**
 * Whether a request carries a secret: in a header, or in the query of its URL, where providers take keys,
 * too.
 */
export const holdsSecret = (url: URL, headers: Headers): boolean =>
  url.search !== '' || [...headers.keys()].some((name) => SECRET.test(name) && !OPEN.has(name))

/**
 * The proxy by which this process reaches a URL, as its environment says. All that goes out over HTTP asks
 * here. A variable in small letters wins, and HTTP_PROXY stands in for HTTPS_PROXY. Null is the direct way:
 * no proxy is named, NO_PROXY names the host, it is this machine, or a secret goes over plain HTTP, which the
 * proxy would read.
 * @throws {TreeosError} for a proxy that does not speak HTTP. The message does not quote it: it may hold a
 *   password
 */
export function proxyFor(url: URL, isSecret: boolean, env: Env = process.env): URL | null {
  const isPlain = url.protocol === 'http:'
  const named = setting('HTTP_PROXY', env)
  const proxy = isPlain ? named : (setting('HTTPS_PROXY', env) ?? named)
  if (proxy === null || isThisMachine(url) || (isPlain && isSecret)) return null
  const excepted = (setting('NO_PROXY', env) ?? '').split(/[\s,]+/)
  return excepted.some((one) => isExcepted(url, one)) ? null : parseProxy(proxy)
}

/**
 * A request found nobody, and had gone past the proxy, since it holds a key and the proxy reads what is plain.
 * Some networks reach other machines by the proxy alone.
 */
class PastProxyError extends TypeError {
  override readonly name = 'PastProxyError'
}

const PAST_PROXY =
  'it holds a key, so over plain HTTP it goes past HTTP_PROXY, which would read the key: write https://, or ' +
  'let this machine reach that host without the proxy'

/** An error of a request that was sent without a proxy: it tells where one is named, and why it was not asked. */
export function toldPastProxy(error: unknown, url: URL, isSecret: boolean): unknown {
  if (!isSecret || !(error instanceof TypeError) || proxyFor(url, false) === null) return error
  return new PastProxyError(`${error.message}: ${PAST_PROXY}`, { cause: error.cause })
}

/** The rule that kept a request from the proxy, for the words of an error; null where none did. */
export function whyPastProxy(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof PastProxyError) return PAST_PROXY
  return null
}

/** Whether only the proxy resolves names. Some networks have no resolver that knows names outside. */
export const proxyResolves = (env: Env = process.env): boolean => env.TREEOS_PROXY_RESOLVES === '1'

const setting = (name: string, env: Env): string | null => env[name.toLowerCase()] || env[name] || null

function parseProxy(text: string): URL {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hostname === '')
    throw new TreeosError(
      'INVALID_INPUT',
      'HTTP_PROXY or HTTPS_PROXY names no proxy that speaks HTTP: write http://HOST:PORT',
    )
  return url
}

/** A host without the brackets of an IPv6 address. */
export const bare = (host: string): string => host.replace(/^\[|\]$/g, '')

const isThisMachine = ({ hostname }: URL): boolean =>
  /^(.+[.])?localhost[.]?$/.test(hostname) || hostname === '[::1]' || /^127([.]\d{1,3}){3}$/.test(hostname)

/**
 * One entry of NO_PROXY: `*`, a domain with what is below it, an address, a network as in `10.0.0.0/8`, each
 * also with a port.
 */
function isExcepted(url: URL, entry: string): boolean {
  const [, name = '', port] = /^(.+?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? []
  if (port !== undefined && port !== (url.port || (url.protocol === 'http:' ? '80' : '443'))) return false
  const host = bare(url.hostname).toLowerCase()
  if (name.includes('/')) return isInNetwork(host, name)
  const domain = bare(name)
    .toLowerCase()
    .replace(/^(\*?[.])/, '')
  if (domain === '') return false
  return domain === '*' || host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`))
}

function isInNetwork(host: string, network: string): boolean {
  const [net = '', bits] = network.split('/')
  const family = isIP(net)
  if (family === 0 || family !== isIP(host) || !/^\d{1,3}$/.test(bits ?? '')) return false
  if (Number(bits) > (family === 4 ? 32 : 128)) return false
  const list = new BlockList()
  list.addSubnet(net, Number(bits), `ipv${family}` as 'ipv4' | 'ipv6')
  return list.check(host, `ipv${family}` as 'ipv4' | 'ipv6')
}
