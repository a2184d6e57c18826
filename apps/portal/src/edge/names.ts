import { isIPv6 } from 'node:net'
import { quote, TreeosError } from '@treeos/core'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
/** They stand for all addresses, and are not names. */
const ALL_ADDRESSES = ['0.0.0.0', '[::]']

/**
 * One entry of TREEOS_PORTAL_HOSTS: a name, with the scheme and port by which people reach it where they are
 * written.
 */
interface Host {
  /** in small letters, as browsers send it, without the dot that may end it */
  readonly name: string
  /** such as `https://` */
  readonly scheme: string | null
  readonly port: string
}

/** @throws {TreeosError} INVALID_INPUT for what is neither a name nor an address of the web */
function parseHost(text: string): Host {
  const scheme = /^https?:\/\//i.exec(text)?.[0].toLowerCase() ?? null
  const url = URL.parse(scheme === null ? `http://${asUrlHost(text)}` : text)
  const isBare =
    url !== null && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
  if (isBare && !ALL_ADDRESSES.includes(url.hostname))
    return { name: withoutDot(url.hostname), scheme, port: url.port }
  throw new TreeosError(
    'INVALID_INPUT',
    `TREEOS_PORTAL_HOSTS: ${quote(text)} is not a name by which browsers reach the portal, as in world.example.org or https://world.example.org`,
  )
}

/** A host as a URL has it: an address of IPv6 in brackets. */
const asUrlHost = (host: string): string => (isIPv6(host) ? `[${host}]` : host)
/** A full name may end with a dot, which DNS and browsers take, and certificates and lists of names do not. */
const withoutDot = (host: string): string => host.replace(/\.(?=(:\d+)?$)/, '')

/** The names of a portal, each with the scheme and port that were written with it. */
export type OwnNames = ReadonlyMap<string, Pick<Host, 'scheme' | 'port'>>

/** The names by which browsers may reach the portal, on any port, so that a forwarded port works. */
export function namesFor(listen: string, hosts: readonly string[]): OwnNames {
  // An address is safe as a name: nobody can make it lead here.
  const address = URL.parse(`http://${asUrlHost(listen)}`)?.hostname ?? listen
  const own = ALL_ADDRESSES.includes(address) ? [] : [address]
  const bare = [...LOOPBACK, ...own].map((name) => [name, { scheme: null, port: '' }] as const)
  // Of a name that is written twice, the first one counts, as in links.
  const named = hosts.map((host) => parseHost(host)).toReversed()
  return new Map([...bare, ...named.map(({ name, ...rest }) => [name, rest] as const)])
}

/**
 * The origins whose pages may call the API with an access token, as browsers write them.
 * @throws {TreeosError} INVALID_INPUT
 */
export const originsFor = (origins: readonly string[]): readonly string[] =>
  origins.map((text) => {
    const url = URL.parse(text)
    if (url !== null && /^https?:$/.test(url.protocol) && text.replace(/\/$/, '') === url.origin)
      return url.origin
    throw new TreeosError(
      'INVALID_INPUT',
      `TREEOS_PORTAL_ORIGINS: ${quote(text)} is not the origin of a page, as in https://chat.example.org`,
    )
  })

/**
 * The address that links name: by the first of the names where there is one, since people on other machines
 * open them.
 */
export function publicUrl(
  { address, family, port }: { readonly address: string; readonly family: string; readonly port: number },
  [first]: readonly string[],
): string {
  if (first !== undefined) {
    const { name, scheme, port: written } = parseHost(first)
    return scheme === null && written === '' ? `http://${name}:${port}` : addressOfHost(first)
  }
  // Passkeys and cookies of a name work with `localhost`, and not with an address.
  const host = family === 'IPv6' ? `[${address}]` : address
  const isHere = address === '127.0.0.1' || ALL_ADDRESSES.includes(host)
  return `http://${isHere ? 'localhost' : host}:${port}`
}

/** The address of a name: what is not written is that of plain http. @throws {TreeosError} INVALID_INPUT */
export function addressOfHost(text: string): string {
  const { name, scheme, port } = parseHost(text)
  return new URL(`${scheme ?? 'http://'}${name}${port === '' ? '' : `:${port}`}`).origin
}

/**
 * Refuses a page that made its own name lead to this machine.
 * @param said the header: proxies write a list, of which the first is what the browser asked for. Each has to
 *   be ours, since a page may write what stands before
 * @param port of `X-Forwarded-Port`, where a proxy that we know says it: one port, or a list of them
 * @returns the host as the browser shows it. The port that TREEOS_PORTAL_HOSTS has stands in for one that a
 *   proxy left out, else the one that the proxy says
 * @throws {TreeosError} FORBIDDEN
 */
export function requireOwnName(said: string | undefined, names: OwnNames, port?: string): string {
  const first = port?.split(',')[0]?.trim() ?? ''
  // One of these is that of the scheme, which is left out, or the one that an inner proxy was reached by.
  const isPort = /^\d{1,5}$/.test(first) && Number(first) <= 65_535
  const more = isPort && !['80', '443'].includes(first) ? first : ''
  const hosts = (said ?? '').split(',').map((host) => requireOwn(host.trim(), names, more))
  return hosts[0] ?? ''
}

function requireOwn(said: string, names: OwnNames, more: string): string {
  const host = withoutDot(asUrlHost(said))
  const known = names.get(nameOf(host))
  const port = known?.port || more
  if (known !== undefined) return port === '' || /:\d+$/.test(host) ? host : `${host}:${port}`
  throw new TreeosError(
    'FORBIDDEN',
    `the host ${quote(said)} is not a name of this portal: TREEOS_PORTAL_HOSTS adds one`,
  )
}

const nameOf = (host: string): string => URL.parse(`http://${host}`)?.hostname ?? ''

/**
 * The origin that a program or a browser reached us by: what TREEOS_PORTAL_HOSTS says of the name, else what
 * the first proxy says, which is the one that it reached.
 * @param host as `requireOwnName` found it
 * @param proto of `X-Forwarded-Proto`: one scheme, or a list of them
 */
export function originReached(host: string, proto: string | undefined, names: OwnNames): string {
  const first = proto?.split(',')[0]?.trim().toLowerCase()
  const scheme =
    names.get(nameOf(host))?.scheme ?? (first === 'https' || first === 'wss' ? 'https://' : 'http://')
  return new URL(`${scheme}${host}`).origin
}
