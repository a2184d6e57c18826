type Fetch = typeof globalThis.fetch
type Env = Readonly<Record<string, string | undefined>>

const PROXIES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy']
const EXCEPTIONS = ['NO_PROXY', 'no_proxy']

/** A fetch by the proxies of one environment. */
interface Proxied {
  readonly key: string
  readonly fetch: Promise<Fetch>
}
let proxied: Proxied | null = null

/**
 * The `fetch` of this process, through the proxies that HTTP_PROXY and HTTPS_PROXY name, except for the hosts of NO_PROXY. What goes to
 * this machine, and whatever holds a secret over plain HTTP, never goes through a proxy: it would read the secret. A proxy of HTTPS
 * sees the name of the host only.
 */
export const egressFetch: Fetch = async (input, init) => {
  const { env } = process
  if (!PROXIES.some((name) => env[name])) return globalThis.fetch(input, init)
  const url = new URL(input instanceof Request ? input.url : input)
  if (isThisMachine(url) || (url.protocol === 'http:' && hasSecret(url, init)))
    return globalThis.fetch(input, init)
  return (await fetchBy(env))(input, init)
}

/** Loaded only where the environment names a proxy. Its own `fetch` goes with its agents, whatever the version of Node. */
function fetchBy(env: Env): Promise<Fetch> {
  const key = JSON.stringify([...PROXIES, ...EXCEPTIONS].map((name) => env[name] ?? null))
  if (proxied?.key !== key) proxied = { key, fetch: load() }
  return proxied.fetch
}

async function load(): Promise<Fetch> {
  const { EnvHttpProxyAgent, fetch } = await import('undici')
  const dispatcher = new EnvHttpProxyAgent()
  return ((input: string | URL, init?: Parameters<typeof fetch>[1]) =>
    fetch(input, { ...init, dispatcher })) as unknown as Fetch
}

const isThisMachine = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127([.]\d{1,3}){3}$/.test(hostname)

function hasSecret(url: URL, init: RequestInit | undefined): boolean {
  const headers = new Headers(init?.headers)
  return (
    url.search !== '' ||
    ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key', 'cookie'].some((name) => headers.has(name))
  )
}
