import { inspect } from 'node:util'
import { TreeosError } from '@treeos/core'
import { boundFetch } from './fetch.ts'

/** Where a being's thoughts come from: one model of one OpenAI-compatible endpoint. */
export interface ModelEndpoint {
  readonly model: string
  /** up to and with `/v1`, without a slash at its end */
  readonly baseUrl: string
  /** null where the endpoint wants none. Reads like any field, and shows in no print, JSON or copy of the mind */
  readonly apiKey: string | null
}

const OPENAI_URL = 'https://api.openai.com/v1'
const OLLAMA_PORT = '11434'
const MODEL_DEFAULT = 'gpt-4o-mini'
const LIST_TIMEOUT_MS = 2000 // for OpenAI and the like, over the internet
const PROBE_TIMEOUT_MS = 1000 // for an Ollama, on this machine as a rule
const ASCII_WORD = /^[\x21-\x7e]+$/
/** What a model may be called that we did not name ourselves: no white space, no control characters, no novels. */
const MODEL_NAME = /^[\x21-\x7e]{1,200}$/

/**
 * Finds the mind that the environment names: OPENAI_API_KEY or OPENAI_BASE_URL, else an Ollama that answers where
 * OLLAMA_HOST says, by default on 127.0.0.1:11434. The model is TREEOS_MODEL; unset, the one that OpenAI has under our
 * default's name, else the first one listed. Lists models at most, and never asks for a completion.
 * @param env an empty value is an unset one
 * @returns null when nothing is named and no Ollama with a model answers
 * @throws {TreeosError} INVALID_INPUT when OPENAI_BASE_URL or OPENAI_API_KEY cannot be what it should; neither is quoted
 */
export async function resolveModelEndpoint(
  env: Readonly<Record<string, string | undefined>>,
  { fetch }: { fetch?: typeof globalThis.fetch } = {},
): Promise<ModelEndpoint | null> {
  const setting = (name: string) => env[name]?.trim() || null
  const apiKey = setting('OPENAI_API_KEY')
  const url = setting('OPENAI_BASE_URL')
  const model = setting('TREEOS_MODEL')
  const list = (endpoint: Address, timeoutMs: number) => listModels(endpoint, timeoutMs, boundFetch(fetch))

  if (apiKey !== null || url !== null) {
    const endpoint = { baseUrl: url === null ? OPENAI_URL : requireBaseUrl(url), apiKey: requireKey(apiKey) }
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

/** Makes a mind whose key is kept out of sight. */
export function modelEndpoint({ model, baseUrl, apiKey }: ModelEndpoint): ModelEndpoint {
  const { origin, pathname } = new URL(baseUrl)
  // A query may hold a key of its own, so what is shown of the address ends before it.
  const shown = { model, baseUrl: origin + pathname, apiKey: apiKey === null ? null : '(hidden)' }
  const endpoint = { model, baseUrl }
  Object.defineProperties(endpoint, {
    apiKey: { value: apiKey },
    toJSON: { value: () => shown },
    [inspect.custom]: { value: () => shown },
  })
  return Object.freeze(endpoint) as ModelEndpoint
}

type Address = Pick<ModelEndpoint, 'baseUrl' | 'apiKey'>

/** @returns null when it does not answer in time, or not with a list of models */
async function listModels(
  { baseUrl, apiKey }: Address,
  timeoutMs: number,
  fetch: typeof globalThis.fetch,
): Promise<string[] | null> {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/models`
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }) },
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (!response.ok) return null
    const { data } = (await response.json()) as { data?: unknown }
    if (data === null) return [] // so an Ollama without a model says it
    if (!Array.isArray(data)) return null
    return data.map((entry: { id?: unknown } | null) => entry?.id).filter(isModelName)
  } catch {
    return null
  }
}

const isModelName = (id: unknown): id is string => typeof id === 'string' && MODEL_NAME.test(id)

/** OpenAI lists its models in no order, many of which cannot chat; everyone else leads with one that can. */
function chooseModel(listed: readonly string[]): string | null {
  return listed.includes(MODEL_DEFAULT) ? MODEL_DEFAULT : (listed[0] ?? null)
}

function requireBaseUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new TreeosError('INVALID_INPUT', 'OPENAI_BASE_URL is not an address: write https://host/v1')
  if (url.username !== '' || url.password !== '')
    throw new TreeosError(
      'INVALID_INPUT',
      'OPENAI_BASE_URL holds a password: put the key into OPENAI_API_KEY',
    )
  return withoutSlash(url)
}

function requireKey(key: string | null): string | null {
  if (key === null || ASCII_WORD.test(key)) return key
  throw new TreeosError(
    'INVALID_INPUT',
    'OPENAI_API_KEY has characters that no key has: it is one word of letters, digits and signs',
  )
}

/** Reads OLLAMA_HOST as Ollama does: `host`, `host:port`, `:port` or a URL. It may be an address to listen on. */
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
