import { type Decision, type DoCall, VERBS } from '@treeos/core'
import type { Prompt } from '@treeos/signature'
import { parseAnswer, parseOutputs, type SignatureOutputs } from './answer.ts'
import { type ModelEndpoint, modelEndpoint } from './endpoint.ts'
import { EndpointClient } from './endpoint-client.ts'
import { type Price, type Prices, priceOf, SHIPPED_PRICES } from './prices.ts'
import type { ChargedAnswer, ModelRequest } from './request.ts'
import { TokenBound } from './tokens.ts'

export { keyVariables, modelsFile, readConnections, resolveDefaultModel } from './connections.ts'
export {
  faultOfEndpoint,
  type ModelEndpoint,
  modelEndpoint,
  resolveModelEndpoint,
  shownAddress,
} from './endpoint.ts'
export { ModelTransientError } from './failures.ts'
export { type Price, type Prices, readCurrency, readPrices, type Usage } from './prices.ts'
export { type ProbeResult, probeEndpoint } from './probe.ts'
export type { ChargedAnswer, ModelRequest } from './request.ts'

export interface ModelAnswer extends ChargedAnswer {
  readonly decision: Decision
  /** number of tool calls after the first; none of them runs */
  readonly ignoredCalls: number
  /** the calls after the first, where all name an operation and can be read; else left out, and for none */
  readonly further?: readonly DoCall[]
  /** why its words are no answer to anybody; left out where they may be one */
  readonly unfit?: string
}

/** The outputs of a Signature, unchecked, or why there are none. */
export type ModelOutputs = ChargedAnswer & SignatureOutputs

export interface Model {
  readonly name: string
  /** name of its connection; left out for the default one of the reality */
  readonly connection?: string
  /** names of other connections. When this one gives no answer, they are asked in this order */
  readonly fallbacks?: readonly string[]
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
   * Asks once, and reads the decision from the answer. A request that the endpoint refuses for a field that
   * it does not take is sent again without it. Otherwise never retries.
   * @returns a decision of kind `failure`, code LLM_FAILED, for an answer or error that a retry would not
   *   change
   * @throws {ModelTransientError} when another attempt may succeed
   * @throws the signal's reason, when it was aborted
   */
  decide(request: ModelRequest): Promise<ModelAnswer>
  /** As `decide`, for a Signature, whose only tool takes its outputs. */
  complete(request: ModelRequest): Promise<ModelOutputs>
}

/**
 * Default limit of an answer to a being with a budget. Reasoning tokens count, and a decision is one call.
 */
const ANSWER_TOKENS_MAX = 4096

/** An outage of a minute is outlived, with the delays between attempts. */
const PATIENCE_SECONDS = 90

/**
 * Model tokens that a provider's template may add to a request: roles, separators, a preamble for tools.
 * Templates write schemas of tools shorter than JSON does.
 */
const TEMPLATE_TOKENS_MAX = 512

/** Most model tokens that a provider counts for one picture, by what they say in November 2026. */
const PICTURE_TOKENS_MAX = 17_000
/** `gpt-4o-mini` counts them about thirty times as high as its larger siblings. */
const DEAR_PICTURES = /(^|[/])gpt-4o-mini/
const DEAR_PICTURE_TOKENS_MAX = 50_000

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
 * Makes a client for one endpoint. It never retries: Temporal does. Node itself gives up on an answer whose
 * first byte comes later than 300 s, even when `timeoutSeconds` is larger. It uses `fetch`, not the client of
 * `openai`: what that would do beside the request (retries, redirects, unbounded bodies, errors that quote
 * prompts) had to be turned off or undone.
 */
export function createModel(endpoint: ModelEndpoint, options: ModelOptions): Model {
  const { prices = SHIPPED_PRICES, answerTokensMax = ANSWER_TOKENS_MAX } = options
  const others = new Map<string, Model>()
  const client = new EndpointClient(endpoint, options.timeoutSeconds)
  const tokens = new TokenBound(endpoint.model)
  const pictureTokens = DEAR_PICTURES.test(endpoint.model) ? DEAR_PICTURE_TOKENS_MAX : PICTURE_TOKENS_MAX
  return {
    name: endpoint.model,
    ...(endpoint.connection === undefined ? {} : { connection: endpoint.connection }),
    ...(endpoint.fallbacks === undefined ? {} : { fallbacks: endpoint.fallbacks }),
    patienceSeconds: options.patienceSeconds ?? PATIENCE_SECONDS,
    attemptsMax: options.attemptsMax,
    price: priceOf(prices, endpoint.model),
    answerTokensMax,
    as(name) {
      if (name === endpoint.model) return this
      const known = others.get(name)
      if (known !== undefined) return known
      // A copy has no key, which cannot be enumerated.
      const other = createModel(modelEndpoint({ ...endpoint, apiKey: endpoint.apiKey, model: name }), options)
      if (others.size >= OTHERS_MAX) others.clear()
      others.set(name, other)
      return other
    },
    boundPrompt: ({ prompt, tools, pictures = [] }) =>
      [prompt.system, prompt.user, jsonOf(tools)].reduce(
        (sum, text) => sum + tokens.of(text),
        TEMPLATE_TOKENS_MAX + pictures.length * pictureTokens,
      ),
    async decide(asked) {
      const { charged, ...sent } = await client.send(asked)
      if ('failure' in sent) return { decision: failed(sent.failure), ignoredCalls: 0, ...charged }
      const named = new Set(asked.tools.map((tool) => tool.function.name))
      const offered = VERBS.filter((verb) => named.has(verb))
      return { ...parseAnswer(sent.completion, offered, promptText(asked.prompt), asked.shown), ...charged }
    },
    async complete(asked) {
      const { charged, ...sent } = await client.send(asked)
      if ('failure' in sent) return { failure: failed(sent.failure), ...charged }
      const [tool] = asked.tools
      if (tool === undefined) throw new Error('a Signature was sent without the tool of its outputs')
      const outputs = parseOutputs(sent.completion, tool.function.name, promptText(asked.prompt))
      return { ...outputs, ...charged }
    },
  }
}

/** Moments that are alike have the same tools. */
const written = new WeakMap<ModelRequest['tools'], string>()

function jsonOf(tools: ModelRequest['tools']): string {
  const text = written.get(tools) ?? JSON.stringify(tools)
  written.set(tools, text)
  return text
}

const promptText = ({ system, user }: Prompt): string => `${system}\n${user}`

const failed = (message: string) => ({ kind: 'failure', code: 'LLM_FAILED', message }) as const
