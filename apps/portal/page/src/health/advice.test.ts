import { expect, it } from 'vitest'
import { adviceOnSpending, causesToMend } from './advice.ts'

const tally = { moments: 10, failures: 0, tokens: 0, money: 0, seconds: { p50: 1, p95: 2 } }
const found = {
  since: '',
  all: tally,
  parts: [],
  beings: [],
  roles: [],
  models: [],
  spaces: [],
  threads: [],
  days: [],
  causes: [],
  failures: [],
  isAll: true,
}
const cause = (being: string, n: number, reason: string, message: string | null, count: number) => ({
  reason,
  message,
  count,
  newest: { being, n, reason, at: `2026-11-30T00:0${n}:00Z`, role: null, model: null, message },
})

it('failures that need the same are one cause, the most frequent first, with the newest', () => {
  const causes = causesToMend([
    cause('@b', 2, 'LLM_TIMEOUT', null, 4),
    cause('@a', 8, 'FORBIDDEN', 'may not go', 3),
    cause('@a', 9, 'FORBIDDEN', 'may not do', 2),
  ])
  expect(causes.map(({ reason, count, newest }) => [reason, count, newest.n])).toEqual([
    ['FORBIDDEN', 5, 9],
    ['LLM_TIMEOUT', 4, 2],
  ])
  expect(causes[0]?.advice).toContain('Widen the role')
})

it('failures of one code that need something else are apart', () => {
  const causes = causesToMend([
    cause('@a', 9, 'LLM_FAILED', 'model answered 401: check OPENAI_API_KEY', 2),
    cause('@b', 2, 'LLM_FAILED', 'model answered 503', 1),
  ])
  expect(causes.map(({ advice }) => advice)).toEqual([
    expect.stringContaining('refused the key'),
    expect.stringContaining('answered with an error'),
  ])
})

it('names a slow model and a being that uses most of the tokens', () => {
  const beings = [
    { ...tally, name: '@a', tokens: 90_000 },
    { ...tally, name: '@b', tokens: 10_000 },
  ]
  const models = [{ ...tally, name: 'slow-1', seconds: { p50: 20, p95: 44 } }]
  const texts = adviceOnSpending({ ...found, all: { ...tally, tokens: 100_000 }, beings, models }).map(
    ({ text }) => text,
  )
  expect(texts).toEqual([
    expect.stringContaining('slow-1 took 44 s'),
    expect.stringContaining('@a used 90 %'),
  ])
})

it('is content where nothing is wrong', () => {
  expect(adviceOnSpending(found)).toEqual([{ tone: 'good', text: 'Nothing stands out.' }])
})
