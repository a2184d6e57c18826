import { BlockList, isIP, isIPv4 } from 'node:net'
import { quote, TreeosError } from '@treeos/core'

/**
 * `of` says who asks, as far as the connection tells: an address of IPv4, or the first 64 bits of one of
 * IPv6, which one subscriber has.
 */
export interface Addresses {
  of(peer: string | undefined, forwarded: string | undefined): string
  isProxy(peer: string | undefined): boolean
}

/**
 * Counts requests by the address of the connection. Only a connection from one of these proxies may say by
 * `X-Forwarded-For` for whom it asks: the last address there that is not a proxy too, since whoever asks
 * writes what stands before it.
 * @param proxies addresses and networks such as `10.0.0.0/8`; none when left out
 * @throws {TreeosError} INVALID_INPUT for what is neither
 */
export function addressesBehind(proxies: readonly string[] = []): Addresses {
  const trusted = new BlockList()
  for (const proxy of proxies) addTo(trusted, proxy)
  const isProxy = (address: string) => trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
  const of: Addresses['of'] = (peer = '', forwarded = '') => {
    let address = ipv4Mapped(peer)
    const said = forwarded.split(',').map((part) => ipv4Mapped(withoutPort(part.trim())))
    while (isIP(address) !== 0 && isProxy(address)) {
      const before = said.pop()
      if (before === undefined || isIP(before) === 0) break
      address = before
    }
    return isIP(address) === 6 ? networkOf(address) : address
  }
  return { of, isProxy: (peer = '') => isIP(ipv4Mapped(peer)) !== 0 && isProxy(ipv4Mapped(peer)) }
}

function addTo(trusted: BlockList, proxy: string): void {
  const [address = '', bits] = proxy.split('/')
  const family = isIPv4(address) ? 'ipv4' : 'ipv6'
  try {
    if (isIP(address) === 0) throw new Error('no address')
    if (bits === undefined) trusted.addAddress(address, family)
    else if (/^\d{1,3}$/.test(bits)) trusted.addSubnet(address, Number(bits), family)
    else throw new Error('no network')
  } catch {
    throw new TreeosError(
      'INVALID_INPUT',
      `TREEOS_PORTAL_PROXIES: ${quote(proxy)} is neither an IP address nor a network such as 10.0.0.0/8`,
    )
  }
}

/** Some proxies write the port of the connection, too: `192.0.2.7:4711`, `[2001:db8::7]:4711`. */
const withoutPort = (said: string): string => said.replace(/^(?:\[(.+)\]|([\d.]+))(?::\d+)?$/, '$1$2')

/** An address of IPv4 also where the socket is one of IPv6. */
const ipv4Mapped = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

function networkOf(address: string): string {
  const { hostname } = new URL(`http://[${address.replace(/%.*$/, '')}]`)
  const [head = '', tail] = hostname.slice(1, -1).split('::')
  const first = head.split(':').filter((part) => part !== '')
  const last = tail === undefined ? [] : tail.split(':').filter((part) => part !== '')
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
  return `${[...first, ...zeros, ...last].slice(0, 4).join(':')}::/64`
}
