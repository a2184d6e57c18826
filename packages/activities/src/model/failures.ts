import { brandError } from '@treeos/core'
import { whyPastProxy } from '@treeos/egress'
import type { ModelEndpoint } from './endpoint.ts'
import type { Usage } from './prices.ts'
import type { EndpointRefusal } from './refusal.ts'

/**
 * The model gave no answer in this attempt. The message quotes no prompt and no provider, and there is no
 * `cause`.
 */
export class ModelTransientError extends Error {
  override readonly name = 'ModelTransientError'
  readonly code: 'LLM_TIMEOUT' | 'LLM_FAILED'
  /** HTTP status; undefined when there was no answer */
  readonly status: number | undefined
  /** the provider's Retry-After in ms, from 0 to an hour */
  readonly retryAfterMs: number | undefined
  /** true when the call cost nothing: the provider was not reached, or says that it did no work */
  readonly isFree: boolean
  /** what the provider said that the call cost; null: nothing */
  readonly usage: Usage | null
  /** the most model tokens that what was received can have; undefined when that is unknown */
  readonly received?: number
  /** how many models were asked in this attempt: the first one and its fallbacks */
  tried = 1

  static {
    brandError(ModelTransientError, 'ModelTransientError')
  }

  constructor(
    code: 'LLM_TIMEOUT' | 'LLM_FAILED',
    message: string,
    {
      status,
      retryAfterMs,
      isFree = false,
      usage = null,
      received,
    }: {
      status?: number | undefined
      retryAfterMs?: number | undefined
      isFree?: boolean
      usage?: Usage | null
      received?: number | undefined
    } = {},
  ) {
    super(message)
    this.code = code
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.isFree = isFree
    this.usage = usage
    if (received !== undefined) this.received = received
  }
}

/** The server ended the stream before the answer, or sent an error instead of the rest. */
export class CutStreamError extends Error {
  override readonly name = 'CutStreamError'
}

/**
 * 408, 409, 429 and 5xx may succeed on a retry, unless the body says that they cannot: a quota is used up, or
 * the server takes no tools.
 * @param cost what the call cost, as far as that is known
 * @throws {ModelTransientError} for these; returns for every other refusal
 */
export function throwIfTransient(
  refusal: EndpointRefusal,
  cost: { isFree: boolean; usage: Usage | null; received: number | undefined },
): void {
  const { status, retryAfterMs, topic } = refusal
  if (![408, 409, 429].includes(status) && (status < 500 || status > 599)) return
  if (topic === 'quota' || ((topic === 'tools' || topic === 'context') && status < 502)) return
  throw new ModelTransientError('LLM_FAILED', said(refusal), { status, retryAfterMs, ...cost })
}

const said = ({ status, inside }: EndpointRefusal): string =>
  inside ? `model answered with an error inside (${status})` : `model answered ${status}`

/** @throws {ModelTransientError} for a lost connection, which may come back; errors of ours as they are */
export function throwLost(error: unknown): never {
  // fetch throws no other kind
  if (!(error instanceof TypeError || error instanceof CutStreamError)) throw error
  const code = systemCode(error)
  const rule = whyPastProxy(error)
  throw new ModelTransientError(
    /TIMEDOUT|TIMEOUT/.test(code ?? '') ? 'LLM_TIMEOUT' : 'LLM_FAILED',
    `connection to the model failed (${code ?? 'cut'})${rule === null ? '' : `: ${rule}`}`,
    { isFree: isUnsent(error) },
  )
}

/** Codes of connections that were never made: no request went out. */
const NOT_CONNECTED =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_(?:AGAIN|FAIL|NODATA|NONAME)|E(?:HOST|NET)(?:UNREACH|DOWN)|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/
/** Codes of certificates that were refused, before anything was sent. */
const UNTRUSTED =
  /^(?:CERT_|ERR_TLS_CERT_|UNABLE_TO_|HOSTNAME_MISMATCH|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT)/

/** Whether a request was never sent, so that nobody can charge for it. */
function isUnsent(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, syscall } = at as NodeJS.ErrnoException
    if (syscall === 'connect' || syscall === 'getaddrinfo') return true
    if (typeof code === 'string' && (NOT_CONNECTED.test(code) || UNTRUSTED.test(code))) return true
  }
  return false
}

/**
 * Node's code of a failed connection, such as ECONNREFUSED. The set is closed, so it quotes nothing of the
 * server.
 */
function systemCode(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException
    if (typeof code === 'string' && /^[A-Z0-9_]{2,48}$/.test(code)) return code
  }
  return null
}

/** Statuses of a request that took too long: the provider may have worked on it, and may charge for that. */
const TOO_LATE: readonly number[] = [408, 499, 504, 524, 598, 599]

/** True when the provider charges nothing: it charges for answers alone, and this is not an answer. */
export const isFreeStatus = (status: number): boolean =>
  status >= 400 && status <= 599 && !TOO_LATE.includes(status)

/** What a refusal means, in our own words: the bodies of refusals quote prompts. */
export function explain(refusal: EndpointRefusal, endpoint: ModelEndpoint): string {
  const { key, url, model } = settingsOf(endpoint)
  const { status, topic } = refusal
  const answered = said(refusal)
  if (status > 599) return `${answered}, which is not an HTTP status`
  if (status < 400) return `${answered}: redirects are not followed, check ${url}`
  if (topic === 'quota') return `${answered}: the account of ${key} has no quota or credit left`
  if (topic === 'context') return `${answered}: the prompt is longer than ${model} takes`
  if (topic === 'tools')
    return `${answered}: ${model} or its server takes no tools (llama.cpp needs --jinja, vLLM --enable-auto-tool-choice)`
  if (topic === 'call') return `${answered}: model wrote a call that its server could not read`
  if (status === 401) return `${answered}: check ${key}`
  if (status === 402) return `${answered}: the account of ${key} has no quota or credit left`
  if (status === 403) return `${answered}: check what ${key} may use`
  if (status === 404) return `${answered}: check ${model} and ${url}`
  if (status === 400)
    return `${answered}: check that ${model} can call tools and takes prompts of this length`
  return answered
}

/** The server read less of a prompt than it was sent. */
export function explainCut(counted: number, endpoint: ModelEndpoint): string {
  return (
    `model's server cut the prompt: it read ${counted} model tokens of it; raise its context length (Ollama: OLLAMA_CONTEXT_LENGTH, ` +
    `llama.cpp: --ctx-size), or check ${settingsOf(endpoint).model}`
  )
}

/** Errors of `Headers` quote keys, so this quotes none of them. */
export function explainUnsent(endpoint: ModelEndpoint): string {
  const { key, url } = settingsOf(endpoint)
  return `the request to the model could not be sent: check ${url} and ${key}`
}

/** How the operator names the settings of an endpoint. */
function settingsOf({ connection }: ModelEndpoint) {
  if (connection === undefined)
    return { key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL', model: 'TREEOS_MODEL' }
  const field = (name: string) => `the ${name} of the model connection ${connection}`
  return { key: field('key'), url: field('baseUrl'), model: field('model') }
}
