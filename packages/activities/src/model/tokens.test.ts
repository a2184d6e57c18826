import { utf8Length } from '@treeos/core'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, it } from 'vitest'
import { TokenBound } from './tokens.ts'

const TEXT = 'You are librarian. Say what you see: {"address": "/shelf"}. Привет, 世界 🌊. <|endoftext|>'

it.each(['gpt-4o-mini', 'gpt-5.6-sol', 'openai/gpt-oss-20b', 'o4-mini', 'ft:gpt-4o-2024-08-06:me'])(
  "the tokens of %s are counted by its model's tokenizer, once that is loaded",
  async (model) => {
    const bound = new TokenBound(model)
    expect(bound.of(TEXT)).toBe(utf8Length(TEXT))
    await bound.ready()
    expect(bound.of(TEXT)).toBe(countTokens(TEXT, { disallowedSpecial: new Set() }))
    expect(bound.of(TEXT)).toBeLessThan(utf8Length(TEXT) / 2)
  },
)

it.each(['llama3.2', 'qwen2.5:0.5b', 'claude-sonnet-5', 'my-gpt', 'gpt2'])(
  'those of %s are at most its bytes',
  async (model) => {
    const bound = new TokenBound(model)
    await bound.ready()
    expect(bound.of(TEXT)).toBe(utf8Length(TEXT))
  },
)

it.each([
  ['letters', 'a'.repeat(60_000)],
  ['marks', '!'.repeat(60_000)],
  ['spaces', ' '.repeat(60_000)],
  ['words', 'word '.repeat(12_000)],
])('60,000 characters of %s take no second', async (_, text) => {
  const bound = new TokenBound('gpt-4o')
  await bound.ready()
  const startedAt = performance.now()
  expect(bound.of(text)).toBeGreaterThanOrEqual(
    text.startsWith('word') ? 12_000 : countTokens(text.slice(0, 1000)),
  )
  expect(performance.now() - startedAt).toBeLessThan(1000)
})
