import { quote, TreeosError } from '@treeos/core'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
/** They stand for all addresses, and are not names. */
const ALL_ADDRESSES = ['0.0.0.0', '::']

/**
 * One entry of TREEOS_PORTAL_HOSTS: a name, with the scheme and port by which people reach it where they are
 * written.
 */
interface Host {
  /** in small letters, as browsers send it */
  readonly name: string
  /** such as `https://` */
  readonly scheme: string | null
  readonly port: string
}

/** @throws {TreeosError} INVALID_INPUT for what is neither a name nor an address of the web */
function parseHost(text: string): Host {
  const scheme = /^https?:\/\//i.exec(text)?.[0].toLowerCase() ?? null
  const url = URL.parse(scheme === null ? `http://${text}` : text)
  const isBare =
    url !== null && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
  if (isBare && !ALL_ADDRESSES.includes(url.hostname)) return { name: url.hostname, scheme, port: url.port }
  throw new TreeosError(
    'INVALID_INPUT',
    `TREEOS_PORTAL_HOSTS: ${quote(text)} is not a name by which browsers reach the portal, as in world.example.org or https://world.example.org`,
  )
}

/** The names by which browsers may reach the portal, on any port, so that a forwarded port works. */
export function namesFor(listen: string, hosts: readonly string[]): ReadonlySet<string> {
  // An address is safe as a name: nobody can make it lead here.
  const own = ALL_ADDRESSES.includes(listen) ? [] : [listen.includes(':') ? `[${listen}]` : listen]
  return new Set([...LOOPBACK, ...own, ...hosts.map((host) => parseHost(host).name)])
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
  const isHere = address === '127.0.0.1' || ALL_ADDRESSES.includes(address)
  return `http://${isHere ? 'localhost' : family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** The address of a name: what is not written is that of plain http. @throws {TreeosError} INVALID_INPUT */
export function addressOfHost(text: string): string {
  const { name, scheme, port } = parseHost(text)
  return new URL(`${scheme ?? 'http://'}${name}${port === '' ? '' : `:${port}`}`).origin
}

/** Refuses a page that made its own name lead to this machine. @throws {TreeosError} FORBIDDEN */
export function requireOwnName(host: string | undefined, names: ReadonlySet<string>): string {
  const name = host === undefined ? undefined : URL.parse(`http://${host}`)?.hostname
  if (host !== undefined && name !== undefined && names.has(name)) return host
  throw new TreeosError(
    'FORBIDDEN',
    `the host ${quote(host ?? '')} is not a name of this portal: TREEOS_PORTAL_HOSTS adds one`,
  )
}
