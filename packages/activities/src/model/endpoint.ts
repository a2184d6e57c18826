import { inspect } from 'node:util'
import { type JsonObject, TreeosError } from '@treeos/core'
import { whyPastProxy } from '@treeos/egress'
import { apiOf } from './apis/api.ts'
import type { ApiName } from './apis/shape.ts'
import { type EndpointReply, exchange, urlOf } from './fetch.ts'
import { chooseModel, type ListedModel, MODEL_DEFAULT, modelsIn, whyNotListed } from './models.ts'

/** One model of one OpenAI-compatible endpoint. */
export interface ModelEndpoint {
  /** in the operator's configuration; left out for the default one of the reality */
  readonly connection?: string
  readonly model: string
  /** names of other connections. When this one gives no answer, they are asked in this order */
  readonly fallbacks?: readonly string[]
  /** which API it speaks; left out: by its address, Chat Completions for most */
  readonly api?: ApiName
  /** false: it is sent no pictures; left out: it is tried */
  readonly pictures?: boolean
  /** base URL including `/v1`, without a trailing slash */
  readonly baseUrl: string
  /** fields of each request that the operator adds, such as `temperature` or `reasoning_effort` */
  readonly parameters?: JsonObject
  /**
   * null when the endpoint needs none. The field is not enumerable, so prints, JSON and copies do not contain
   * it
   */
  readonly apiKey: string | null
}

type EndpointEnv = Readonly<Record<string, string | undefined>>

const OPENAI_URL = 'https://api.openai.com/v1'
const OLLAMA_PORT = '11434'
const LIST_TIMEOUT_MS = 2000 // for a server on the internet
const PROBE_TIMEOUT_MS = 1000 // for Ollama, usually on this machine
const ASCII_WORD = /^[\x21-\x7e]+$/

/**
 * Finds the model endpoint that the environment names: OPENAI_API_KEY or OPENAI_BASE_URL, otherwise an Ollama
 * at OLLAMA_HOST, by default 127.0.0.1:11434. The model is TREEOS_MODEL. When that is unset, it is
 * `gpt-4o-mini` if the endpoint lists it, otherwise the first listed model. Lists models only; never requests
 * a completion.
 * @param env an empty value counts as unset
 * @returns null when the environment names no endpoint and no Ollama with a model answers
 * @throws {TreeosError} INVALID_INPUT when OPENAI_BASE_URL or OPENAI_API_KEY is malformed; the message quotes
 *   neither
 */
export async function resolveModelEndpoint(
  env: EndpointEnv,
  { fetch }: { fetch?: typeof globalThis.fetch } = {},
): Promise<ModelEndpoint | null> {
  const setting = (name: string) => env[name]?.trim() || null
  const apiKey = setting('OPENAI_API_KEY')
  const url = setting('OPENAI_BASE_URL')
  const model = setting('TREEOS_MODEL')
  const list = (endpoint: Address, timeoutMs: number) => listModels(endpoint, timeoutMs, fetch)

  if (apiKey !== null || url !== null) {
    const endpoint = { baseUrl: url === null ? OPENAI_URL : requireBaseUrl(url), apiKey: requireKey(apiKey) }
    requireKeptKey(endpoint, env, 'OPENAI_BASE_URL')
    return modelEndpoint({
      ...endpoint,
      model: model ?? chooseModel((await list(endpoint, LIST_TIMEOUT_MS)) ?? []) ?? MODEL_DEFAULT,
    })
  }
  const baseUrl = ollamaUrl(setting('OLLAMA_HOST') ?? '')
  if (baseUrl === null) return null
  const listed = await list({ baseUrl, apiKey: null }, PROBE_TIMEOUT_MS)
  const found = listed && (model ?? chooseModel(listed))
  return found === null ? null : modelEndpoint({ baseUrl, apiKey: null, model: found })
}

/** Makes an endpoint whose key does not show in prints and JSON. */
export function modelEndpoint({
  connection,
  parameters,
  fallbacks,
  api,
  pictures,
  model,
  baseUrl,
  apiKey,
}: ModelEndpoint): ModelEndpoint {
  const named = {
    ...(connection === undefined ? {} : { connection }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(api === undefined ? {} : { api }),
    ...(pictures === undefined ? {} : { pictures }),
    ...(fallbacks === undefined ? {} : { fallbacks }),
  }
  // The shown address leaves out the query, which may hold a key.
  const shown = {
    ...named,
    model,
    baseUrl: shownAddress({ baseUrl }),
    apiKey: apiKey === null ? null : '(hidden)',
  }
  const endpoint = { ...named, model, baseUrl }
  Object.defineProperties(endpoint, {
    apiKey: { value: apiKey },
    toJSON: { value: () => shown },
    [inspect.custom]: { value: () => shown },
  })
  return Object.freeze(endpoint) as ModelEndpoint
}

type Address = Pick<ModelEndpoint, 'api' | 'baseUrl' | 'apiKey'>

/** The address for people: without its query, which may hold a key. */
export function shownAddress({ baseUrl }: Pick<ModelEndpoint, 'baseUrl'>): string {
  const { origin, pathname } = new URL(baseUrl)
  return origin + pathname
}

const CHECK_TIMEOUT_MS = 5000

/**
 * Asks an endpoint for its list of models, never for a completion.
 * @returns what is wrong with it, in our own words; null when nothing is. A server that has no such list is
 *   not wrong
 */
export async function faultOfEndpoint(
  endpoint: ModelEndpoint,
  { fetch }: { fetch?: typeof globalThis.fetch } = {},
): Promise<string | null> {
  try {
    const reply = await askForModels(endpoint, CHECK_TIMEOUT_MS, fetch)
    const status = 'refusal' in reply ? reply.refusal.status : 200
    if (status === 401 || status === 403) return `refuses the key (${status})`
    if (status >= 500) return `answers ${status}`
    if (status >= 300 && status < 400) return `redirects (${status}), which is not followed`
    return 'text' in reply ? whyNotListed(endpoint.model, modelsIn(reply.text)) : null
  } catch (error) {
    const rule = whyPastProxy(error)
    return `cannot be reached (${networkErrorCode(error)})${rule === null ? '' : `: ${rule}`}`
  }
}

function networkErrorCode(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException
    if (typeof code === 'string') return code
    if (at.name === 'TimeoutError') return `no answer within ${CHECK_TIMEOUT_MS / 1000} s`
  }
  return 'no connection'
}

/** @returns the models; null when the endpoint does not answer in time, or not with a list */
async function listModels(
  address: Address,
  timeoutMs: number,
  fetch: typeof globalThis.fetch | undefined,
): Promise<ListedModel[] | null> {
  try {
    const reply = await askForModels(address, timeoutMs, fetch)
    return 'text' in reply ? modelsIn(reply.text) : null
  } catch {
    return null
  }
}

function askForModels(
  address: Address,
  timeoutMs: number,
  fetch: typeof globalThis.fetch | undefined,
): Promise<EndpointReply> {
  const { baseUrl, apiKey } = address
  const signal = AbortSignal.timeout(timeoutMs)
  const init = { headers: apiOf(address).headersOf(apiKey, false), signal }
  return exchange(urlOf(baseUrl, 'models'), init, fetch === undefined ? {} : { fetch })
}

/** @param what names the setting in the error, which does not quote the value */
export function requireBaseUrl(text: string, what = 'OPENAI_BASE_URL'): string {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new TreeosError('INVALID_INPUT', `${what} is not an http(s) URL: write https://host/v1`)
  if (url.username !== '' || url.password !== '')
    throw new TreeosError(
      'INVALID_INPUT',
      `${what} holds a password: ${what === 'OPENAI_BASE_URL' ? 'put the key into OPENAI_API_KEY' : 'name the key in apiKeyEnv'}`,
    )
  url.pathname = url.pathname.replace(RESOURCE, '')
  return withoutSlash(url)
}

/**
 * What people paste behind the base: the resource that is asked, as the examples of providers show it. Not
 * `models`, with which the base of Azure ends.
 */
const RESOURCE = /\/(?:chat\/completions|completions|responses|messages|embeddings)\/*$/

/**
 * A key goes to another machine over HTTPS only: without it, whatever answers at the address gets the key,
 * and who is in between reads it.
 * @param env `TREEOS_KEYS_OVER_HTTP` names hosts of a network that the operator trusts, separated by commas
 * @throws {TreeosError} INVALID_INPUT naming the setting; it quotes no key
 */
export function requireKeptKey({ baseUrl, apiKey }: Address, env: EndpointEnv, what: string): void {
  const { protocol, hostname, host, search } = new URL(baseUrl)
  const hasKey = apiKey !== null || search !== '' // some servers take it in the query
  if (protocol === 'https:' || !hasKey || isThisMachine(hostname)) return
  const trusted = env.TREEOS_KEYS_OVER_HTTP?.split(',').map((name) => name.trim().toLowerCase()) ?? []
  if ([hostname, host, hostname.replace(/^\[|\]$/g, '')].some((name) => trusted.includes(name))) return
  throw new TreeosError(
    'INVALID_INPUT',
    `${what} is http:// on another machine, so the key would cross the network in clear: write https://, or name ${hostname} in ` +
      'TREEOS_KEYS_OVER_HTTP if you trust that network',
  )
}

const isThisMachine = (hostname: string): boolean =>
  ['localhost', '[::1]'].includes(hostname) || /^127([.]\d{1,3}){3}$/.test(hostname)

/** @param what names the setting in the error, which does not quote the value */
export function requireKey(key: string | null, what = 'OPENAI_API_KEY'): string | null {
  if (key === null || ASCII_WORD.test(key)) return key
  throw new TreeosError(
    'INVALID_INPUT',
    `${what} has white space or characters outside ASCII: check that it was copied whole`,
  )
}

/**
 * Reads OLLAMA_HOST as Ollama does: `host`, `host:port`, `:port` or a URL. A wildcard listen address becomes
 * loopback.
 */
function ollamaUrl(text: string): string | null {
  const hasScheme = text.includes('://')
  const url = URL.parse(
    hasScheme ? text : `http://${text.startsWith(':') || text === '' ? `127.0.0.1${text}` : text}`,
  )
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null
  if (!hasScheme && url.port === '' && !/:80(\/|$)/.test(text)) url.port = OLLAMA_PORT
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.hostname === '[::]') url.hostname = '[::1]'
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1`
  return withoutSlash(url)
}

function withoutSlash(url: URL): string {
  url.hash = ''
  url.pathname = url.pathname.replace(/\/+$/, '')
  return url.pathname === '/' ? url.origin + url.search : url.href
}
