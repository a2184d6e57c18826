import { isJsonObject, type Json, quote, TreeosError } from '@treeos/core'
import type { Cost } from '@treeos/store'
import shipped from './prices.json' with { type: 'json' }

/** Model tokens of one call, as the provider counted them. */
export interface Usage {
  readonly promptTokens: number
  readonly completionTokens: number
}

/** Money per million model tokens, in the currency that the prices and budgets of a reality use. */
export interface Price {
  readonly prompt: number
  readonly completion: number
}
export type Prices = Readonly<Record<string, Price>>

/** A higher price is a mistake, and would make costs too large to count exactly. */
const PRICE_MAX = 1_000_000

/** List prices of the date in the file. Providers change them, so an instance may set its own. */
export const SHIPPED_PRICES: Prices = shipped.perMillionTokens

/**
 * Reads prices from the text of a file like prices.json. They replace the shipped price of each model that they name.
 * @throws {TreeosError} INVALID_INPUT naming the model and the expected form
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

/** Cost of a call, rounded up. Money per million tokens equals millionths (`micros`) per token. */
export function costOf({ promptTokens, completionTokens }: Usage, price: Price | null): Cost {
  return {
    tokens: promptTokens + completionTokens,
    micros:
      price === null
        ? null
        : Math.ceil(promptTokens * price.prompt) + Math.ceil(completionTokens * price.completion),
  }
}
