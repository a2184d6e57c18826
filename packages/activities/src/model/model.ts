import { type Decision, isJsonObject, utf8Length, VERBS } from '@treeos/core'
import type { ModelTool, Prompt } from '@treeos/signature'
import type { Saying } from '@treeos/store'
import { type Outputs, parseAnswer, parseJson, parseOutputs } from './answer.ts'
import type { ModelEndpoint } from './endpoint.ts'
import {
  explain,
  explainUnsent,
  isRejected,
  ModelTransientError,
  throwIfTransient,
  throwLost,
} from './failures.ts'
import { exchange, headersFor, type Refusal, UnusableAnswerError, urlOf } from './fetch.ts'
import { LimitName } from './limit-name.ts'
import { type Price, type Prices, SHIPPED_PRICES, type Usage } from './prices.ts'
import { readStreamed, StreamTaking } from './stream.ts'

export { keyVariables, modelsFile, readConnections } from './connections.ts'
export {
  faultOfEndpoint,
  type ModelEndpoint,
  modelEndpoint,
  resolveModelEndpoint,
  shownAddress,
} from './endpoint.ts'
export { ModelTransientError } from './failures.ts'
export { type Price, type Prices, readPrices, type Usage } from './prices.ts'

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
  readonly patienceSeconds?: number | undefined
  /** most attempts of a call; default: as many as patience allows */
  readonly attemptsMax?: number | undefined
  /** by model name; default the shipped ones */
  readonly prices?: Prices | undefined
  /** most model tokens of an answer to a being with a budget; default 4096 */
  readonly answerTokensMax?: number | undefined
}

/**
 * Makes a client for one endpoint. It never retries: Temporal does. Node itself gives up on an answer whose first byte comes
 * later than 300 s, even when `timeoutSeconds` is larger. It uses `fetch`, not the client of `openai`: what that would do beside
 * the request (retries, redirects, unbounded bodies, errors that quote prompts) had to be turned off or undone.
 */
export function createModel(endpoint: ModelEndpoint, options: ModelOptions): Model {
  const { prices = SHIPPED_PRICES, answerTokensMax = ANSWER_TOKENS_MAX } = options
  const others = new Map<string, Model>()
  const line = new Line(endpoint, options.timeoutSeconds)
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
    boundPrompt: (asked) => utf8Length(JSON.stringify(line.bodyOf(asked))) + TEMPLATE_TOKENS_MAX,
    async decide(asked) {
      const { charged, ...sent } = await line.send(asked)
      if ('failure' in sent) return { decision: failed(sent.failure), ignoredCalls: 0, ...charged }
      const named = new Set(asked.tools.map((tool) => tool.function.name))
      const offered = VERBS.filter((verb) => named.has(verb))
      return { ...parseAnswer(sent.completion, offered), ...charged }
    },
    async complete(asked) {
      const { charged, ...sent } = await line.send(asked)
      if ('failure' in sent) return { failure: failed(sent.failure), ...charged }
      const [tool] = asked.tools
      if (tool === undefined) throw new Error('a Signature was sent without the tool of its outputs')
      return { ...parseOutputs(sent.completion, tool.function.name), ...charged }
    },
  }
}

const failed = (message: string) => ({ kind: 'failure', code: 'LLM_FAILED', message }) as const

/** An answer of a provider, or why there is none. */
type Sent = { readonly charged: Charged } & ({ readonly completion: unknown } | { readonly failure: string })

/** Without the option, most servers send no usage with a stream. */
const STREAMED = { stream: true, stream_options: { include_usage: true } } as const

/** Sends requests to one endpoint, and learns from its refusals what it takes. */
class Line {
  readonly #endpoint: ModelEndpoint
  readonly #timeoutSeconds: number
  readonly #limit: LimitName
  readonly #streams = new StreamTaking()

  constructor(endpoint: ModelEndpoint, timeoutSeconds: number) {
    this.#endpoint = endpoint
    this.#timeoutSeconds = timeoutSeconds
    this.#limit = new LimitName(endpoint)
  }

  bodyOf({ prompt, tools, forceToolCall, maxTokens }: ModelRequest) {
    return {
      model: this.#endpoint.model,
      messages: [
        { role: 'system', content: prompt.system },
        { role: 'user', content: prompt.user },
      ],
      ...(tools.length > 0 && {
        tools,
        tool_choice: forceToolCall ? 'required' : 'auto',
        parallel_tool_calls: false,
      }),
      ...(maxTokens !== undefined && { [this.#limit.now]: maxTokens }),
    }
  }

  /** @throws {ModelTransientError}; the signal's reason */
  async send(asked: ModelRequest): Promise<Sent> {
    asked.signal?.throwIfAborted()
    const name = this.#limit.now
    const onSaying = this.#streams.mayAsk ? asked.onSaying : undefined
    const isStreamed = onSaying !== undefined
    const sent = await this.#post(asked, onSaying)
    if ('failure' in sent) return { ...sent, charged: { usage: null } }
    if ('completion' in sent) {
      this.#streams.answered(isStreamed)
      if (asked.maxTokens !== undefined) this.#limit.confirm(name)
      const { completion } = sent
      if (completion === undefined) return { failure: NOT_JSON, charged: { usage: null } }
      return { completion, charged: { usage: readUsage(completion) } }
    }
    const { refusal } = sent
    throwIfTransient(refusal)
    if (asked.maxTokens !== undefined) this.#limit.throwIfRefused(name, refusal)
    const isFree = isRejected(refusal.status)
    if (isFree && this.#streams.refused(isStreamed, refusal.status))
      throw new ModelTransientError('LLM_FAILED', 'model refused a request that streams', {
        retryAfterMs: 0,
        isFree,
      })
    const failure = explain(refusal, this.#endpoint)
    return { failure, charged: { usage: null, ...(isFree ? { refused: true } : {}) } }
  }

  /** Sends one HTTP request. @returns a completion, which is undefined for an answer that is not JSON */
  async #post(
    asked: ModelRequest,
    onSaying: ModelRequest['onSaying'],
  ): Promise<{ completion: unknown } | { refusal: Refusal } | { failure: string }> {
    const { signal } = asked
    const late = AbortSignal.timeout(Math.ceil(this.#timeoutSeconds * 1000))
    const either = signal === undefined ? late : AbortSignal.any([signal, late])
    const request = this.#requestOf(asked, onSaying !== undefined)
    if (request === null) return { failure: explainUnsent(this.#endpoint) }
    try {
      const reply = await exchange(request.url, { ...request.init, signal: either })
      if ('refusal' in reply) return reply
      if ('text' in reply) return { completion: parseJson(reply.text) }
      const completion = await readStreamed(reply.events, onSaying ?? (() => undefined))
      if (!either.aborted) return { completion } // an abort may look like the end of the stream
    } catch (error) {
      if (!either.aborted) {
        if (error instanceof UnusableAnswerError) return { failure: error.message }
        throwLost(error)
      }
    }
    signal?.throwIfAborted()
    const message = `model did not answer within ${this.#timeoutSeconds} s`
    throw new ModelTransientError('LLM_TIMEOUT', message)
  }

  /** @returns null for a key or an address that HTTP cannot carry */
  #requestOf(asked: ModelRequest, isStreamed: boolean): { url: URL; init: RequestInit } | null {
    const { baseUrl, apiKey = null } = this.#endpoint
    const body = JSON.stringify({ ...this.bodyOf(asked), ...(isStreamed ? STREAMED : {}) })
    try {
      const headers = headersFor(apiKey, isStreamed)
      return { url: urlOf(baseUrl, 'chat/completions'), init: { method: 'POST', headers, body } }
    } catch {
      return null
    }
  }
}

const NOT_JSON = 'model answered with something that is not JSON'

function readUsage(completion: unknown): Usage | null {
  const usage = isJsonObject(completion) ? completion.usage : undefined
  if (!isJsonObject(usage)) return null
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage
  return isCount(promptTokens) && isCount(completionTokens) ? { promptTokens, completionTokens } : null
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
