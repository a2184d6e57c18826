import type { Cost } from '@treeos/chain'
import { isJsonObject, type Json, quote, TreeosError } from '@treeos/core'
import shipped from './prices.json' with { type: 'json' }

/** Tokens of one call, as a provider counted them. */
export interface Usage {
  readonly promptTokens: number
  readonly completionTokens: number
}

/** Money per million tokens, in whatever currency the prices and the budgets of a reality are in. */
export interface Price {
  readonly prompt: number
  readonly completion: number
}
export type Prices = Readonly<Record<string, Price>>

/** Dearer than anything there is: a price beyond it is a mistake, and would make counts too large to be exact. */
const PRICE_MAX = 1_000_000

/** List prices as they stood on the date in the file; they change without us, so an instance may name its own. */
export const SHIPPED_PRICES: Prices = shipped.perMillionTokens

/**
 * Reads prices in the form of prices.json; they go before the shipped ones, model by model.
 * @throws {TreeosError} INVALID_INPUT naming the model and what would be right
 */
export function parsePrices(text: string): Prices {
  const given = fromJson(text)
  const table = isJsonObject(given) ? given.perMillionTokens : undefined
  if (!isJsonObject(table)) throw wrong('prices', given ?? null, 'JSON with an object perMillionTokens')
  return {
    ...SHIPPED_PRICES,
    ...Object.fromEntries(Object.entries(table).map(([model, price]) => [model, parse(model, price)])),
  }
}

function parse(model: string, price: Json): Price {
  if (isJsonObject(price) && isPrice(price.prompt) && isPrice(price.completion))
    return { prompt: price.prompt, completion: price.completion }
  throw wrong(`the price of ${model}`, price, 'prompt and completion, each a number from 0')
}

const isPrice = (value: Json | undefined): value is number =>
  typeof value === 'number' && value >= 0 && value <= PRICE_MAX

function fromJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

const wrong = (what: string, value: Json, right: string) =>
  new TreeosError('INVALID_INPUT', `${what} is ${quote(value)}; it takes ${right}`)

/** What so many tokens cost, rounded up; money per million tokens is millionths per token. */
export function costOf({ promptTokens, completionTokens }: Usage, price: Price | null): Cost {
  return {
    tokens: promptTokens + completionTokens,
    micros:
      price === null
        ? null
        : Math.ceil(promptTokens * price.prompt) + Math.ceil(completionTokens * price.completion),
  }
}
