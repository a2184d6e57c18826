import type { AgentOptions } from 'node:http'
import { proxyFor } from './proxy.ts'

/** A field of Node since 22.21 and 24.5. An older one ignores it, and goes the direct way. */
interface ProxyAgentOptions extends AgentOptions {
  readonly proxyEnv?: Readonly<Record<string, string>>
}

/**
 * Options of an agent of Node, for a library that takes no `fetch`: it goes to one URL by the proxy that
 * {@link proxyFor} tells.
 */
export function agentOptionsFor(url: URL, isSecret: boolean): ProxyAgentOptions {
  const proxy = proxyFor(url, isSecret)?.href
  return {
    keepAlive: true,
    ...(proxy === undefined ? {} : { proxyEnv: { http_proxy: proxy, https_proxy: proxy } }),
  }
}
