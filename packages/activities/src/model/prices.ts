import type { CallCost } from '@treeos/store'
import { z } from 'zod'
import { parseFile } from './parse-file.ts'
import shipped from './prices.json' with { type: 'json' }

/** Model tokens of one call, as the provider counted them. */
export interface Usage {
  readonly promptTokens: number
  readonly completionTokens: number
  /** how many of the prompt's the provider had in its cache; left out: none */
  readonly cachedTokens?: number
}

/** Money per million model tokens, in the currency that the prices and budgets of a reality use. */
export interface Price {
  readonly prompt: number
  /** of the part of a prompt that the provider had in its cache; left out: as the rest */
  readonly cached?: number | undefined
  readonly completion: number
}
export type Prices = Readonly<Record<string, Price>>

/** A higher price is a mistake, and would make costs too large to count exactly. */
const PRICE_MAX = 1_000_000
const AMOUNT = `takes a number from 0 to ${PRICE_MAX}`

/** List prices of the date in the file. Providers change them, so an instance may set its own. */
export const SHIPPED_PRICES: Prices = shipped.perMillionTokens

const amount = z.number(AMOUNT).min(0, AMOUNT).max(PRICE_MAX, AMOUNT)
/** ISO 4217: that of the shipped prices, and of a file that names no other. */
const SHIPPED_CURRENCY = shipped.currency

const file = z.object({
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'takes three capital letters, such as EUR')
    .default(SHIPPED_CURRENCY),
  perMillionTokens: z.record(
    z.string(),
    z.object(
      { prompt: amount, cached: amount.optional(), completion: amount },
      'takes prompt, cached and completion',
    ),
    'takes an object of prices by model',
  ),
})

/**
 * Reads a file like prices.json. Its prices replace the shipped price of each model that they name; those of
 * another currency stand alone.
 * @throws {TreeosError} INVALID_INPUT naming the model and the expected form
 */
export function readPrices(path: string): Prices {
  const { currency, perMillionTokens } = parseFile(path, file)
  return currency === SHIPPED_CURRENCY ? { ...SHIPPED_PRICES, ...perMillionTokens } : perMillionTokens
}

/** The currency of a list of prices, by ISO 4217. @param path undefined: of the shipped one */
export const readCurrency = (path: string | undefined): string =>
  path === undefined ? SHIPPED_CURRENCY : parseFile(path, file).currency

/** Cost of a call, rounded up. Money per million tokens equals millionths (`micros`) per token. */
export function costOf(
  { promptTokens, completionTokens, cachedTokens = 0 }: Usage,
  price: Price | null,
): CallCost {
  const tokens = promptTokens + completionTokens
  if (price === null) return { tokens, micros: null }
  const { prompt, cached = prompt, completion } = price
  const micros = Math.ceil((promptTokens - cachedTokens) * prompt + cachedTokens * cached)
  return { tokens, micros: micros + Math.ceil(completionTokens * completion) }
}

/** What a snapshot adds to the name of its model, and Google before it. */
const SNAPSHOT = /-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$/

/**
 * The price of a model. One that is not listed has the price of the model whose snapshot it is; null when
 * that is not listed either.
 */
export function priceOf(prices: Prices, model: string): Price | null {
  const name = model.replace(/^models[/]/, '')
  const known = [model, name, name.replace(SNAPSHOT, '')].find((one) => Object.hasOwn(prices, one))
  return known === undefined ? null : (prices[known] ?? null)
}
