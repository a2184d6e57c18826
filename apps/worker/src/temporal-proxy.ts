import { isIP } from 'node:net'
import type { NativeConnectionOptions } from '@temporalio/worker'

type Proxy = NonNullable<NativeConnectionOptions['proxy']>

/** Those that the gRPC of Temporal's client reads, which commands use. */
const PROXIES = ['grpc_proxy', 'https_proxy', 'http_proxy'] as const
const EXCEPTIONS = ['no_grpc_proxy', 'no_proxy'] as const

/**
 * The proxy by which a worker reaches Temporal, as the environment names it for gRPC. The core of the SDK
 * reads no variables, so a worker would go another way than the commands beside it.
 * @returns undefined for the direct way: no proxy is named, Temporal is on this machine, or its host is an
 *   exception
 */
export function temporalProxy(address: string, env: NodeJS.ProcessEnv): Proxy | undefined {
  const proxy = URL.parse(firstSetting(PROXIES, env) ?? '')
  const host = URL.parse(`http://${address}`)?.hostname
  if (proxy === null || proxy.protocol !== 'http:' || host === undefined || isHere(host)) return undefined
  const exceptions = (firstSetting(EXCEPTIONS, env) ?? '').split(',').map((one) => one.trim())
  if (exceptions.some((one) => isOf(host, one))) return undefined
  const { username, password } = proxy
  return {
    type: 'http-connect',
    targetHost: `${proxy.hostname}:${proxy.port || '80'}`,
    ...(username === ''
      ? {}
      : { basicAuth: { username: decodeURIComponent(username), password: decodeURIComponent(password) } }),
  }
}

const firstSetting = (names: readonly string[], env: NodeJS.ProcessEnv): string | undefined =>
  names.map((name) => env[name]).find((value) => value !== undefined && value !== '')

const isHere = (host: string): boolean => host === 'localhost' || host === '[::1]' || host.startsWith('127.')

/** A domain excepts its subdomains; `*` excepts all. */
function isOf(host: string, exception: string): boolean {
  const domain = exception.replace(/^[.]/, '')
  if (domain === '') return false
  return domain === '*' || host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`))
}
