import { type Decision, isJsonObject, utf8Length, VERBS } from '@treeos/core'
import type { ModelTool, Prompt } from '@treeos/signature'
import type { Saying } from '@treeos/store'
import OpenAI from 'openai'
import { type Outputs, parseAnswer, parseJson, parseOutputs } from './answer.ts'
import type { ModelEndpoint } from './endpoint.ts'
import {
  boundFetch,
  isStream,
  NAMED_LIMITS,
  STREAM_TYPE,
  TOKEN_LIMITS,
  type TokenLimit,
  UnusableAnswerError,
} from './fetch.ts'
import { type Price, type Prices, SHIPPED_PRICES, type Usage } from './prices.ts'
import { CutStreamError, readStreamed, StreamTaking } from './stream.ts'

export { keyVariables, modelsFile, readConnections } from './connections.ts'
export {
  faultOfEndpoint,
  type ModelEndpoint,
  modelEndpoint,
  resolveModelEndpoint,
  shownAddress,
} from './endpoint.ts'
export { type Price, type Prices, parsePrices, type Usage } from './prices.ts'

export interface ModelRequest {
  readonly prompt: Prompt
  readonly tools: readonly ModelTool[]
  /** true: the model must call one of the tools; ignored when there are none */
  readonly forceToolCall: boolean
  readonly signal?: AbortSignal
  /** most model tokens of the answer; for a being with a budget the model's own limit when left out, else none */
  readonly maxTokens?: number
  /** hears what the model writes, as it comes: the answer is then asked for as a stream. It is the same answer */
  readonly onSaying?: (saying: Saying) => void
}

/** What an answer cost. */
export interface Charged {
  /** null when the answer holds no valid usage */
  readonly usage: Usage | null
  /** the provider rejected the request (4xx), so it charges nothing */
  readonly refused?: true
}

export interface ModelAnswer extends Charged {
  readonly decision: Decision
  /** number of tool calls after the first; none of them runs */
  readonly ignoredCalls: number
}

type Failure = Extract<Decision, { kind: 'failure' }>

/** The outputs of a Signature, unchecked, or why there are none. */
export type ModelOutputs = Charged & Outputs

export interface Model {
  readonly name: string
  /** how long an outage is outlived: no attempt begins later after the first one, except a second one */
  readonly patienceSeconds: number
  /** most attempts; left out, as many as patience allows */
  readonly attemptsMax?: number | undefined
  /** null when the price of the model is unknown */
  readonly price: Price | null
  /** most model tokens of an answer to a being with a budget, whose worst case must be bounded */
  readonly answerTokensMax: number
  /** The same endpoint, asked for another model. */
  as(name: string): Model
  /** An upper bound of the prompt tokens that a provider can count for this request. */
  boundPrompt(request: ModelRequest): number
  /**
   * Sends one HTTP request and reads the decision from its answer. Never retries.
   * @returns a decision of kind `failure`, code LLM_FAILED, for an answer or error that a retry would not change
   * @throws {ModelTransientError} when another attempt may succeed
   * @throws the signal's reason, when it was aborted
   */
  decide(request: ModelRequest): Promise<ModelAnswer>
  /** As `decide`, for a Signature, whose only tool takes its outputs. */
  complete(request: ModelRequest): Promise<ModelOutputs>
}

/** The model gave no answer in this attempt. The message quotes no prompt and no provider, and there is no `cause`. */
export class ModelTransientError extends Error {
  override readonly name = 'ModelTransientError'
  readonly code: 'LLM_TIMEOUT' | 'LLM_FAILED'
  /** HTTP status; undefined when there was no answer */
  readonly status: number | undefined
  /** the provider's Retry-After in ms, from 0 to an hour */
  readonly retryAfterMs: number | undefined
  /** true when the call cost nothing: the provider was not reached, or rejected the request */
  readonly isFree: boolean
  constructor(
    code: 'LLM_TIMEOUT' | 'LLM_FAILED',
    message: string,
    {
      status,
      retryAfterMs,
      isFree = false,
    }: { status?: number | undefined; retryAfterMs?: number | undefined; isFree?: boolean } = {},
  ) {
    super(message)
    this.code = code
    this.status = status
    this.retryAfterMs = retryAfterMs
    this.isFree = isFree
  }
}

const SILENT_LOGGER = { error() {}, warn() {}, info() {}, debug() {} }

/** Default limit of an answer to a being with a budget. Reasoning tokens count, and a decision is one call. */
const ANSWER_TOKENS_MAX = 4096

/** An outage of a minute is outlived, with the delays between attempts. */
const PATIENCE_SECONDS = 90

/**
 * Model tokens that a provider's template may add to a request: roles, separators, a preamble for tools. A token is at least
 * one byte, so the byte length of the request's JSON bounds the other tokens.
 */
const TEMPLATE_TOKENS_MAX = 512

/** Clients for other models of one endpoint that are kept. */
const OTHERS_MAX = 64

/** How a model is called. */
export interface ModelOptions {
  /** for the whole answer, from the first byte sent to the last one received */
  readonly timeoutSeconds: number
  /** how long an outage is outlived; default 90 */
  readonly patienceSeconds?: number
  /** most attempts of a call; default: as many as patience allows */
  readonly attemptsMax?: number
  /** by model name; default the shipped ones */
  readonly prices?: Prices
  /** most model tokens of an answer to a being with a budget; default 4096 */
  readonly answerTokensMax?: number
}

/**
 * Makes a client for one endpoint. It never retries: Temporal does. Node itself gives up on an answer whose first byte comes
 * later than 300 s, even when `timeoutSeconds` is larger.
 */
export function createModel(endpoint: ModelEndpoint, options: ModelOptions): Model {
  const { timeoutSeconds, prices = SHIPPED_PRICES, answerTokensMax = ANSWER_TOKENS_MAX } = options
  const others = new Map<string, Model>()
  const apiKey = endpoint.apiKey ?? null
  const limit = new LimitName(endpoint)
  const streams = new StreamTaking()
  const client = new OpenAI({
    baseURL: endpoint.baseUrl,
    apiKey: apiKey ?? 'none',
    ...(apiKey === null && { defaultHeaders: { authorization: null } }),
    // Without these the client reads them from the environment, where they may belong to another endpoint.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: Math.ceil(timeoutSeconds * 1000),
    fetch: boundFetch(),
    // Both are needed: OPENAI_LOG=debug would print whole prompts.
    logger: SILENT_LOGGER,
    logLevel: 'off',
  })

  /** Sends one HTTP request. @returns the completion; undefined for an answer that is not JSON */
  async function fetchCompletion(asked: ModelRequest, name: TokenLimit, onSaying: ModelRequest['onSaying']) {
    const { signal } = asked
    const request = bodyOf(endpoint, asked, name)
    if (onSaying === undefined) {
      const response = await client.chat.completions.create(request, { signal }).asResponse()
      return parseJson(await response.text()) // already received, see boundFetch
    }
    const late = AbortSignal.timeout(Math.ceil(timeoutSeconds * 1000)) // the client's own timeout ends with the headers
    const either = signal === undefined ? late : AbortSignal.any([signal, late])
    try {
      const response = await client.chat.completions
        .create({ ...request, ...STREAMED }, { signal: either, headers: { accept: STREAM_TYPE } })
        .asResponse()
      if (!isStream(response)) return parseJson(await response.text()) // it does not know streams
      const completion = await readStreamed(response, client, onSaying)
      if (!either.aborted) return completion
    } catch (error) {
      if (!either.aborted) throw error
    }
    signal?.throwIfAborted()
    throw new OpenAI.APIConnectionTimeoutError()
  }

  async function send(asked: ModelRequest): Promise<Sent> {
    const { signal } = asked
    signal?.throwIfAborted()
    const name = limit.now
    const onSaying = streams.mayAsk ? asked.onSaying : undefined
    const isStreamed = onSaying !== undefined
    let completion: unknown
    try {
      completion = await fetchCompletion(asked, name, onSaying)
      streams.answered(isStreamed)
      if (asked.maxTokens !== undefined) limit.confirm(name)
    } catch (error) {
      signal?.throwIfAborted()
      throwTransient(error, timeoutSeconds)
      if (error instanceof SyntaxError) return { failure: failed(NOT_JSON), charged: { usage: null } } // an event that is not JSON
      if (asked.maxTokens !== undefined) limit.throwIfRefused(name, error)
      if (isRejected(error) && streams.refused(isStreamed, (error as { status?: number }).status))
        throw new ModelTransientError('LLM_FAILED', 'model refused a request that streams', {
          retryAfterMs: 0,
          isFree: true,
        })
      const failure = failed(explain(error, endpoint))
      return { failure, charged: { usage: null, ...(isRejected(error) ? { refused: true } : {}) } }
    }
    if (completion === undefined) return { failure: failed(NOT_JSON), charged: { usage: null } }
    return { completion, charged: { usage: readUsage(completion) } }
  }

  return {
    name: endpoint.model,
    patienceSeconds: options.patienceSeconds ?? PATIENCE_SECONDS,
    attemptsMax: options.attemptsMax,
    price: Object.hasOwn(prices, endpoint.model) ? (prices[endpoint.model] ?? null) : null,
    answerTokensMax,
    as(name) {
      if (name === endpoint.model) return this
      const known = others.get(name)
      if (known !== undefined) return known
      const other = createModel({ ...endpoint, model: name }, options)
      if (others.size >= OTHERS_MAX) others.clear()
      others.set(name, other)
      return other
    },
    boundPrompt: (asked) =>
      utf8Length(JSON.stringify(bodyOf(endpoint, asked, limit.now))) + TEMPLATE_TOKENS_MAX,
    async decide(asked) {
      const { charged, ...sent } = await send(asked)
      if ('failure' in sent) return { decision: sent.failure, ignoredCalls: 0, ...charged }
      const named = new Set(asked.tools.map((tool) => tool.function.name))
      const offered = VERBS.filter((verb) => named.has(verb))
      return { ...parseAnswer(sent.completion, offered), ...charged }
    },
    async complete(asked) {
      const { charged, ...sent } = await send(asked)
      if ('failure' in sent) return { failure: sent.failure, ...charged }
      const [tool] = asked.tools
      if (tool === undefined) throw new Error('a Signature was sent without the tool of its outputs')
      return { ...parseOutputs(sent.completion, tool.function.name), ...charged }
    },
  }
}

/** An answer of a provider, or why there is none. */
type Sent = { readonly charged: Charged } & ({ readonly completion: unknown } | { readonly failure: Failure })

const NOT_JSON = 'model answered with something that is not JSON'

/** Without the option, most servers send no usage with a stream. */
const STREAMED = { stream: true, stream_options: { include_usage: true } } as const

const failed = (message: string): Failure => ({ kind: 'failure', code: 'LLM_FAILED', message })

function bodyOf(
  endpoint: ModelEndpoint,
  { prompt, tools, forceToolCall, maxTokens }: ModelRequest,
  limit: TokenLimit,
): OpenAI.Chat.ChatCompletionCreateParamsNonStreaming {
  return {
    model: endpoint.model,
    messages: [
      { role: 'system', content: prompt.system },
      { role: 'user', content: prompt.user },
    ],
    ...(tools.length > 0 && {
      tools: [...tools],
      tool_choice: forceToolCall ? 'required' : 'auto',
      parallel_tool_calls: false,
    }),
    ...(maxTokens !== undefined && { [limit]: maxTokens }),
  }
}

/** Hosts whose current models refuse `max_tokens`, or have announced to. */
const NEW_NAME_HOSTS =
  /(^|[.])(openai[.]com|openai[.]azure[.]com|api[.]groq[.]com|api[.]cerebras[.]ai|api[.]x[.]ai)$/

/**
 * The name under which an endpoint takes the limit of an answer's tokens. OpenAI's newer models refuse `max_tokens`. Mistral
 * refuses `max_completion_tokens`, and Ollama and older llama.cpp servers ignore it, so the answer would have no limit. An
 * unknown host gets `max_tokens` first, and the other name once it refuses that, as a gateway to a newer model does.
 */
class LimitName {
  readonly #first: TokenLimit
  #now: TokenLimit
  /** an answer came under the name in use */
  #confirmed = false

  constructor({ baseUrl }: ModelEndpoint) {
    this.#first = NEW_NAME_HOSTS.test(new URL(baseUrl).hostname) ? 'max_completion_tokens' : 'max_tokens'
    this.#now = this.#first
  }

  get now(): TokenLimit {
    return this.#now
  }

  /** An answer came to a request with this name. */
  confirm(sent: TokenLimit): void {
    if (sent === this.#now) this.#confirmed = true
  }

  /**
   * Changes the name after a refusal that names it. The change is taken back unless an answer follows: the refusal may quote
   * a prompt that has the name in it.
   * @throws {ModelTransientError} when another attempt will send the other name
   */
  throwIfRefused(sent: TokenLimit, error: unknown): void {
    if (!(error instanceof OpenAI.APIError) || !isRejected(error)) return
    if (sent !== this.#first) {
      if (!this.#confirmed) this.#now = this.#first
      return
    }
    const { status, headers } = error as { status: number | undefined; headers: Headers | undefined }
    if (this.#confirmed && this.#now === sent) return
    if (!headers?.get(NAMED_LIMITS)?.split(' ').includes(sent)) return
    this.#now = otherLimit(sent)
    throw new ModelTransientError('LLM_FAILED', `model answered ${status}: it takes no ${sent}`, {
      status,
      retryAfterMs: 0,
      isFree: true,
    })
  }
}

const otherLimit = (name: TokenLimit): TokenLimit =>
  name === TOKEN_LIMITS[0] ? TOKEN_LIMITS[1] : TOKEN_LIMITS[0]

/** 408, 409, 429, 5xx, a lost connection and a timeout may succeed on a retry. Returns for every other error. */
function throwTransient(error: unknown, timeoutSeconds: number): void {
  if (error instanceof OpenAI.APIConnectionTimeoutError)
    throw new ModelTransientError('LLM_TIMEOUT', `model did not answer within ${timeoutSeconds} s`)
  if (error instanceof OpenAI.APIConnectionError) {
    if (error.cause instanceof UnusableAnswerError) return
    const code = systemCode(error)
    throw new ModelTransientError('LLM_FAILED', `connection to the model failed${code}`, {
      isFree: /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/.test(code),
    })
  }
  if (isCut(error))
    throw new ModelTransientError(
      'LLM_FAILED',
      `connection to the model failed${systemCode(error) || ' (cut)'}`,
    )
  if (!(error instanceof OpenAI.APIError)) return
  const { status, headers } = error as { status: number | undefined; headers: Headers | undefined }
  if (status === undefined || !([408, 409, 429].includes(status) || status >= 500)) return
  throw new ModelTransientError('LLM_FAILED', `model answered ${status}`, {
    status,
    retryAfterMs: headers && readRetryAfter(headers),
    isFree: isRejected(error),
  })
}

/**
 * An answer that broke off while it was streamed: the server ended it, sent an error instead of the rest, or the connection was
 * lost. The SDK passes errors of the connection on as they are.
 */
const isCut = (error: unknown): error is Error =>
  error instanceof CutStreamError ||
  (error instanceof OpenAI.APIError && error.status === undefined) ||
  (error instanceof TypeError && error.message === 'terminated')

/**
 * True when the provider says that it did no work: a 4xx, or that it is away or too busy. Not for 408 and the other 5xx: the
 * provider may have worked on a request that failed.
 */
function isRejected(error: unknown): boolean {
  const status = error instanceof OpenAI.APIError ? (error.status as number | undefined) : undefined
  if (status === undefined || status === 408) return false
  return (status >= 400 && status < 500) || IDLE_STATUSES.includes(status)
}
const IDLE_STATUSES = [501, 503, 529]

/** A message in our own words. Errors of the client quote bodies, and errors of `Headers` quote keys. */
function explain(error: unknown, { connection }: ModelEndpoint): string {
  const [key, url, model] =
    connection === undefined
      ? ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'TREEOS_MODEL']
      : ['key', 'baseUrl', 'model'].map((field) => `the ${field} of the model connection ${connection}`)
  if (error instanceof UnusableAnswerError) return error.message
  if (!(error instanceof OpenAI.APIError))
    return `the request to the model could not be sent: check ${url} and ${key}`
  if (error.cause instanceof UnusableAnswerError) return error.cause.message
  const status = error.status as number
  const said = `model answered ${status}`
  if (status < 400) return `${said}: redirects are not followed, check ${url}`
  if (status === 401) return `${said}: check ${key}`
  if (status === 403) return `${said}: check what ${key} may use`
  if (status === 404) return `${said}: check ${model} and ${url}`
  if (status === 400) return `${said}: check that ${model} can call tools and takes prompts of this length`
  return said
}

/** Node's code of a failed connection, such as ECONNREFUSED. The set is closed, so it quotes nothing of the server. */
function systemCode(error: Error): string {
  for (let cause: unknown = error.cause; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (typeof code === 'string' && /^[A-Z0-9_]{2,48}$/.test(code)) return ` (${code})`
  }
  return ''
}

const RETRY_AFTER_MS_MAX = 3_600_000

function readRetryAfter(headers: Headers): number | undefined {
  const ms = headers.get('retry-after-ms')
  const after = headers.get('retry-after')
  const waits = [
    ms === null ? Number.NaN : Number(ms),
    after === null ? Number.NaN : Number(after) * 1000,
    after === null ? Number.NaN : Date.parse(after) - Date.now(),
  ]
  const wait = waits.find((value) => Number.isFinite(value) && value >= 0)
  return wait === undefined ? undefined : Math.min(Math.ceil(wait), RETRY_AFTER_MS_MAX)
}

function readUsage(completion: unknown): Usage | null {
  const usage = isJsonObject(completion) ? completion.usage : undefined
  if (!isJsonObject(usage)) return null
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage
  return isCount(promptTokens) && isCount(completionTokens) ? { promptTokens, completionTokens } : null
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
