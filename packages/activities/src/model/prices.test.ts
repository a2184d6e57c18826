import { describe, expect, it } from 'vitest'
import { costOf, parsePrices, SHIPPED_PRICES } from './prices.ts'

describe('prices', () => {
  it('go before the shipped ones, model by model', () => {
    const prices = parsePrices(
      '{"perMillionTokens":{"gpt-4o-mini":{"prompt":1,"completion":2},"own":{"prompt":0,"completion":0}}}',
    )
    expect(prices).toEqual({
      ...SHIPPED_PRICES,
      'gpt-4o-mini': { prompt: 1, completion: 2 },
      own: { prompt: 0, completion: 0 },
    })
  })

  it.each([
    ['no JSON', /prices is null; it takes JSON/],
    ['[]', /prices is \[\]; it takes JSON/],
    ['{"perMillionTokens":{"own":{"prompt":1}}}', /the price of own is .*; it takes prompt and completion/],
    ['{"perMillionTokens":{"own":{"prompt":-1,"completion":1}}}', /the price of own/],
    ['{"perMillionTokens":{"own":{"prompt":1e9,"completion":1}}}', /the price of own/],
  ])('refuse %s', (text, message) => {
    expect(() => parsePrices(text)).toThrow(message)
  })

  it('make a cost in millionths, rounded up, so that what was used never costs more than the worst did', () => {
    const price = { prompt: 0.15, completion: 0.6 }
    expect(costOf({ promptTokens: 1_000_000, completionTokens: 1_000_000 }, price).micros).toBe(750_000)
    expect(costOf({ promptTokens: 1, completionTokens: 1 }, price)).toEqual({ tokens: 2, micros: 2 })
    expect(costOf({ promptTokens: 0, completionTokens: 0 }, price).micros).toBe(0)
    expect(costOf({ promptTokens: 5, completionTokens: 5 }, null)).toEqual({ tokens: 10, micros: null })
  })
})
