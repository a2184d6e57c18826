import { isJsonObject, type Json, type JsonObject, utf8Length } from '@treeos/core'
import type { Usage } from './prices.ts'

/**
 * Reads what an answer cost, in model tokens. Tokens of thinking count as tokens of the answer, also where a
 * server reports them beside `completion_tokens`.
 * @returns null when the answer has no valid usage. A prompt of 0 tokens is not valid: servers say so when
 *   they counted nothing
 */
export function readUsage(completion: unknown): Usage | null {
  const usage = isJsonObject(completion) ? (completion.usage ?? inGroq(completion)) : undefined
  if (!isJsonObject(usage)) return null
  const promptTokens = usage.prompt_tokens ?? usage.input_tokens
  const completionTokens = usage.completion_tokens ?? usage.output_tokens ?? 0
  if (!isCount(promptTokens) || !isCount(completionTokens) || promptTokens === 0) return null
  const cached = cachedIn(usage)
  return {
    promptTokens,
    completionTokens: withThinking(usage, promptTokens, completionTokens),
    ...(cached === 0 ? {} : { cachedTokens: Math.min(cached, promptTokens) }),
  }
}

/**
 * The most model tokens that an answer can have, by what came: a token has at least one byte. Undefined for
 * an answer without a message.
 */
export function receivedIn(completion: unknown): number | undefined {
  if (!isJsonObject(completion)) return undefined
  if (isCount(completion.received)) return completion.received
  const [choice] = Array.isArray(completion.choices) ? completion.choices : []
  return isJsonObject(choice) && isJsonObject(choice.message)
    ? utf8Length(JSON.stringify(choice.message))
    : undefined
}

const inGroq = ({ x_groq: groq }: JsonObject): Json | undefined =>
  isJsonObject(groq) ? groq.usage : undefined

/** Where servers count thinking beside the answer, their total or the count of thinking is the larger one. */
function withThinking(usage: JsonObject, prompt: number, completion: number): number {
  const { total_tokens: total } = usage
  const thinking =
    countIn(usage.completion_tokens_details, 'reasoning_tokens') || countIn(usage, 'reasoning_tokens')
  const rest = isCount(total) ? total - prompt : 0
  return Math.max(completion, rest, thinking > completion ? completion + thinking : 0)
}

/** Tokens of the prompt that the provider had in its cache, by the names that providers have for them. */
function cachedIn(usage: JsonObject): number {
  return (
    countIn(usage.prompt_tokens_details, 'cached_tokens') ||
    countIn(usage.input_tokens_details, 'cached_tokens') ||
    countIn(usage, 'prompt_cache_hit_tokens') ||
    countIn(usage, 'cached_tokens')
  )
}

function countIn(from: Json | undefined, name: string): number {
  const count = isJsonObject(from) ? from[name] : undefined
  return isCount(count) ? count : 0
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** Prompts below this length fit into every context that servers have by default. */
const CHARS_MIN = 6000
/** More characters than a model token has in any prompt that is not one character over and over. */
const CHARS_PER_TOKEN_MAX = 8
/** Characters that a model token has in most prompts. */
const CHARS_PER_TOKEN = 5

/**
 * Whether a server read less of a prompt than it was sent: it counted fewer model tokens than the prompt can
 * have, or exactly as many as a context has room for. Some servers cut a prompt that is too long, and say
 * nothing.
 */
export function isCut(prompt: string, usage: Usage | null): boolean {
  if (usage === null || prompt.length < CHARS_MIN) return false
  const length = prompt.replace(/(.)\1{3,}/gsu, '$1$1$1').length
  const { promptTokens } = usage
  if (promptTokens + (usage.cachedTokens ?? 0) < length / CHARS_PER_TOKEN_MAX) return true
  return isContext(promptTokens) && promptTokens < length / CHARS_PER_TOKEN
}

const isContext = (tokens: number): boolean =>
  Number.isInteger(Math.log2(tokens)) || Number.isInteger(Math.log2(tokens + 1))
