import { type Decision, isJsonObject, utf8Length } from '@treeos/core'
import type { Prompt, Tool } from '@treeos/world'
import OpenAI from 'openai'
import { parseAnswer, parseJson } from './answer.ts'
import type { ModelEndpoint } from './endpoint.ts'
import { boundFetch, UnusableAnswerError } from './fetch.ts'
import { type Price, type Prices, SHIPPED_PRICES, type Usage } from './prices.ts'

export { type ModelEndpoint, modelEndpoint, resolveModelEndpoint } from './endpoint.ts'
export { type Price, type Prices, parsePrices, type Usage } from './prices.ts'

export interface ModelRequest {
  readonly prompt: Prompt
  readonly tools: readonly Tool[]
  /** the model must call one of the tools; means nothing without any */
  readonly forceToolCall: boolean
  readonly signal?: AbortSignal
  /** most tokens of the answer */
  readonly maxTokens?: number
}

export interface ModelAnswer {
  readonly decision: Decision
  /** null when the provider told none, or none that makes sense */
  readonly usage: Usage | null
  /** tool calls after the first: none of them runs */
  readonly ignoredCalls: number
  /** the provider turned the request away: it worked on nothing, so it charges nothing */
  readonly refused?: true
}

export interface Model {
  /** null when none is known */
  readonly price: Price | null
  /** most tokens of an answer to a being with a budget: its worst case must have an end */
  readonly answerTokensMax: number
  /** No call of this request can count more tokens of its own than this. */
  boundPrompt(request: ModelRequest): number
  /**
   * Asks once, by one HTTP request.
   * @throws {ModelTransientError} when asking again may help
   * @throws the signal's reason, when it was aborted
   */
  decide(request: ModelRequest): Promise<ModelAnswer>
}

/** The model gave no answer this time. It holds no word of a prompt or a provider, and has no cause. */
export class ModelTransientError extends Error {
  override readonly name = 'ModelTransientError'
  readonly code: 'LLM_TIMEOUT' | 'LLM_FAILED'
  readonly status: number | undefined
  /** how long the provider asks to be left alone, from 0 to an hour */
  readonly retryAfterMs: number | undefined
  /** nothing can have been used: the provider was never reached, or turned the request away */
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

/** Of an answer to a being with a budget, unless it is told otherwise: reasoning counts, and a decision is one call. */
const ANSWER_TOKENS_MAX = 4096

/**
 * What a provider's own template may add to a request's JSON: roles, separators, a preamble for tools. A token is at least
 * one byte, so the bytes of the JSON, names and quotes included, bound the rest.
 */
const TEMPLATE_TOKENS_MAX = 512

/** How a mind is asked, beside where. */
export interface ModelOptions {
  readonly timeoutSeconds: number
  /** by model; the shipped ones unless given */
  readonly prices?: Prices
  readonly answerTokensMax?: number
}

/**
 * Speaks to one mind. Nothing is tried twice here: retries are Temporal's.
 * @param options `timeoutSeconds` bounds a whole answer, from the first byte sent to the last received; Node itself gives up
 *   on an answer that begins after 300 s
 */
export function createModel(endpoint: ModelEndpoint, options: ModelOptions): Model {
  const { timeoutSeconds, prices = SHIPPED_PRICES, answerTokensMax = ANSWER_TOKENS_MAX } = options
  const apiKey = endpoint.apiKey ?? null
  const client = new OpenAI({
    baseURL: endpoint.baseUrl,
    apiKey: apiKey ?? 'none',
    ...(apiKey === null && { defaultHeaders: { authorization: null } }),
    // Else read from the process's environment, which may speak of another endpoint than the mind does.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: Math.ceil(timeoutSeconds * 1000),
    fetch: boundFetch(),
    // Both, since OPENAI_LOG=debug would print whole prompts.
    logger: SILENT_LOGGER,
    logLevel: 'off',
  })

  return {
    price: Object.hasOwn(prices, endpoint.model) ? (prices[endpoint.model] ?? null) : null,
    answerTokensMax,
    boundPrompt: (asked) => utf8Length(JSON.stringify(bodyOf(endpoint, asked))) + TEMPLATE_TOKENS_MAX,
    async decide(asked) {
      const { tools, signal } = asked
      signal?.throwIfAborted()
      const request = bodyOf(endpoint, asked)
      let text: string
      try {
        const response = await client.chat.completions.create(request, { signal }).asResponse()
        text = await response.text() // already here, see boundFetch
      } catch (error) {
        signal?.throwIfAborted()
        throwTransient(error, timeoutSeconds)
        return {
          decision: { kind: 'failure', code: 'LLM_FAILED', message: explain(error) },
          usage: null,
          ignoredCalls: 0,
          ...(isRejected(error) ? { refused: true } : {}),
        }
      }
      const completion = parseJson(text)
      if (completion === undefined)
        return {
          decision: {
            kind: 'failure',
            code: 'LLM_FAILED',
            message: 'model answered with something that is not JSON',
          },
          usage: null,
          ignoredCalls: 0,
        }
      const offered = tools.map((tool) => tool.function.name)
      return { ...parseAnswer(completion, offered), usage: readUsage(completion) }
    },
  }
}

function bodyOf(
  endpoint: ModelEndpoint,
  { prompt, tools, forceToolCall, maxTokens }: ModelRequest,
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
    ...(maxTokens !== undefined && { [maxTokensName(endpoint)]: maxTokens }),
  }
}

/** OpenAI's newer models refuse the old name; everyone else knows it, and not always the new one. */
function maxTokensName({ baseUrl }: ModelEndpoint): 'max_completion_tokens' | 'max_tokens' {
  const { hostname } = new URL(baseUrl)
  return /(^|[.])(openai[.]com|openai[.]azure[.]com)$/.test(hostname) ? 'max_completion_tokens' : 'max_tokens'
}

/** 408, 409, 429 and 5xx may yet succeed, so may a lost connection and a slow answer; nothing else will. */
function throwTransient(error: unknown, timeoutSeconds: number): void {
  if (error instanceof OpenAI.APIConnectionTimeoutError)
    throw new ModelTransientError('LLM_TIMEOUT', `model did not answer in time, which is ${timeoutSeconds} s`)
  if (error instanceof OpenAI.APIConnectionError) {
    if (error.cause instanceof UnusableAnswerError) return
    const code = systemCode(error)
    throw new ModelTransientError('LLM_FAILED', `connection to the model failed${code}`, {
      isFree: /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/.test(code),
    })
  }
  if (!(error instanceof OpenAI.APIError)) return
  const { status, headers } = error as { status: number | undefined; headers: Headers | undefined }
  if (status === undefined || !([408, 409, 429].includes(status) || status >= 500)) return
  throw new ModelTransientError('LLM_FAILED', `model answered ${status}`, {
    status,
    retryAfterMs: headers && readRetryAfter(headers),
    isFree: isRejected(error),
  })
}

/** A request that the provider calls wrong or too much; one that took too long may have been worked on all the same. */
function isRejected(error: unknown): boolean {
  const status = error instanceof OpenAI.APIError ? (error.status as number | undefined) : undefined
  return status !== undefined && status >= 400 && status < 500 && status !== 408
}

/** Names what is wrong with our own words. Errors of the client quote bodies, and those of `Headers` even keys. */
function explain(error: unknown): string {
  if (!(error instanceof OpenAI.APIError))
    return 'model could not be asked: check OPENAI_BASE_URL and OPENAI_API_KEY'
  if (error.cause instanceof UnusableAnswerError) return error.cause.message
  const status = error.status as number
  const said = `model answered ${status}`
  if (status < 400) return `${said}: redirects are not followed, check OPENAI_BASE_URL`
  if (status === 401) return `${said}: check OPENAI_API_KEY`
  if (status === 403) return `${said}: check what OPENAI_API_KEY may use`
  if (status === 404) return `${said}: check TREEOS_MODEL and OPENAI_BASE_URL`
  if (status === 400)
    return `${said}: check that TREEOS_MODEL can call tools and takes prompts of this length`
  return said
}

/** The code Node gives to a failed connection, such as ECONNREFUSED: a closed set, and never the other side's words. */
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
