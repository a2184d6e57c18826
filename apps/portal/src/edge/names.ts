import { quote, TreeosError } from '@treeos/core'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** The names by which browsers may reach the portal, on any port, so that a forwarded port works. */
export function namesFor(listen: string, hosts: readonly string[]): ReadonlySet<string> {
  // An address is safe as a name: nobody can make it lead here. 0.0.0.0 and :: stand for all addresses and are not names.
  const own = ['0.0.0.0', '::'].includes(listen) ? [] : [listen.includes(':') ? `[${listen}]` : listen]
  return new Set([...LOOPBACK, ...own, ...hosts])
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
