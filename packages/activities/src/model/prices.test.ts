import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { costOf, priceOf, readCurrency, readPrices, SHIPPED_PRICES } from './prices.ts'

const path = join(mkdtempSync(join(tmpdir(), 'treeos-prices-')), 'prices.json')
const pricesIn = (text: string) => {
  writeFileSync(path, text)
  return readPrices(path)
}

describe('prices', () => {
  it('go before the shipped ones, model by model', () => {
    const prices = pricesIn(
      '{"perMillionTokens":{"gpt-4o-mini":{"prompt":1,"completion":2},"own":{"prompt":0,"completion":0}}}',
    )
    expect(prices).toEqual({
      ...SHIPPED_PRICES,
      'gpt-4o-mini': { prompt: 1, completion: 2 },
      own: { prompt: 0, completion: 0 },
    })
  })

  it('of another currency stand alone, since shipped ones are in US dollars', () => {
    const own = { own: { prompt: 1, completion: 2 } }
    expect(pricesIn(JSON.stringify({ currency: 'EUR', perMillionTokens: own }))).toEqual(own)
    expect(readCurrency(path)).toBe('EUR')
    expect(pricesIn(JSON.stringify({ currency: 'USD', perMillionTokens: own }))).toEqual({
      ...SHIPPED_PRICES,
      ...own,
    })
    expect(readCurrency(undefined)).toBe('USD')
  })

  it.each([
    ['no JSON', /prices.json cannot be read/],
    ['{"currency":"euro","perMillionTokens":{}}', /currency: takes three capital letters/],
    ['[]', /prices.json: Invalid input: expected object/],
    [
      '{"perMillionTokens":{"own":{"prompt":1}}}',
      /perMillionTokens.own.completion: takes a number from 0 to 1000000/,
    ],
    [
      '{"perMillionTokens":{"own":{"prompt":-1,"completion":1}}}',
      /perMillionTokens.own.prompt: takes a number/,
    ],
    [
      '{"perMillionTokens":{"own":{"prompt":1e9,"completion":1}}}',
      /perMillionTokens.own.prompt: takes a number/,
    ],
  ])('refuse %s', (text, message) => {
    expect(() => pricesIn(text)).toThrow(message)
  })

  it('make a cost in millionths, rounded up, so that what was used never costs more than the worst did', () => {
    const price = { prompt: 0.15, completion: 0.6 }
    expect(costOf({ promptTokens: 1_000_000, completionTokens: 1_000_000 }, price).micros).toBe(750_000)
    expect(costOf({ promptTokens: 1, completionTokens: 1 }, price)).toEqual({ tokens: 2, micros: 2 })
    expect(costOf({ promptTokens: 0, completionTokens: 0 }, price).micros).toBe(0)
    const cached = { ...price, cached: 0.015 }
    const usage = { promptTokens: 1000, completionTokens: 0, cachedTokens: 900 }
    expect(costOf(usage, cached)).toEqual({ tokens: 1000, micros: 29 })
    expect(costOf(usage, price).micros).toBe(150)
    expect(costOf({ promptTokens: 5, completionTokens: 5 }, null)).toEqual({ tokens: 10, micros: null })
  })

  it.each([
    ['gpt-5-mini', 'gpt-5-mini'],
    ['gpt-5-mini-2025-08-07', 'gpt-5-mini'],
    ['claude-haiku-4-5-20251001', 'claude-haiku-4-5'],
    ['models/gemini-2.5-flash', 'gemini-2.5-flash'],
    ['gpt-4o-2024-05-13', 'gpt-4o-2024-05-13'],
  ])('of %s are those of %s', (model, listed) => {
    expect(priceOf(SHIPPED_PRICES, model)).toEqual(SHIPPED_PRICES[listed])
    expect(SHIPPED_PRICES).toHaveProperty([listed])
  })

  it.each(['my-model', 'toString', 'gpt-5-mini-tuned'])('of %s are not known', (model) => {
    expect(priceOf(SHIPPED_PRICES, model)).toBeNull()
  })
})
