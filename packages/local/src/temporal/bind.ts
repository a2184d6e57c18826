import { BlockList, isIP } from 'node:net'
import { LocalError } from '../machine/error.ts'

/** Where everything listens unless somebody asks for another address. */
export const LOOPBACK = '127.0.0.1'

const OWN = new BlockList()
OWN.addSubnet('127.0.0.0', 8, 'ipv4')
OWN.addAddress('::1', 'ipv6')

/**
 * @param wanted what TREEOS_BIND says; empty counts as unset
 * @throws LocalError unless it is an IP address
 */
export function requireBind(wanted: string | undefined): string {
  if (!wanted) return LOOPBACK
  if (isIP(wanted) !== 0) return wanted
  throw new LocalError(
    `--bind (TREEOS_BIND) is ${JSON.stringify(wanted)}; it takes an IP address of this machine, as in 192.168.1.5, or 0.0.0.0 for all`,
  )
}

/** Whether other machines may reach an address. */
export const isBeyondLoopback = (ip: string): boolean => !OWN.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4')

/** host:port by which this machine reaches what listens on an address. */
export function nearAddress(ip: string, port: number): string {
  if (ip === '0.0.0.0') return `${LOOPBACK}:${port}`
  if (isIP(ip) === 4) return `${ip}:${port}`
  return /^[0:]+$/.test(ip) ? `[::1]:${port}` : `[${ip}]:${port}`
}
