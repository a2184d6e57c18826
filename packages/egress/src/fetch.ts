import type { ProxyAgent } from 'undici'
import { holdsSecret, proxyFor, toldPastProxy } from './proxy.ts'

type Fetch = typeof globalThis.fetch

/** By the address of the proxy. */
const agents = new Map<string, ProxyAgent>()

/**
 * The `fetch` of this process, by the proxy that {@link proxyFor} tells. Over HTTPS a proxy sees the name of
 * the host only.
 */
export const egressFetch: Fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input)
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
  const isSecret = holdsSecret(url, headers)
  const proxy = proxyFor(url, isSecret)
  if (proxy === null)
    return globalThis.fetch(input, init).catch((error: unknown) => {
      throw toldPastProxy(error, url, isSecret)
    })
  // Loaded only here. Its own `fetch` goes with its agents, whatever the version of Node.
  const { fetch, ProxyAgent } = await import('undici')
  // Many proxies lead tunnels to port 443 only, so what is plain is asked of the proxy itself.
  const dispatcher = agents.get(proxy.href) ?? new ProxyAgent({ uri: proxy.href, proxyTunnel: false })
  agents.set(proxy.href, dispatcher)
  const asked = input instanceof Request ? new Request(input, init) : null
  const request = asked === null ? init : await initOf(asked)
  return (await fetch(url, { ...request, dispatcher } as Parameters<typeof fetch>[1])) as unknown as Response
}

/** A request of Node's own class, in the words that another `fetch` understands. */
async function initOf(request: Request): Promise<RequestInit> {
  const { method, headers, redirect, signal } = request
  const body = request.body === null ? null : await request.arrayBuffer()
  return { method, headers: [...headers], redirect, signal, body }
}
