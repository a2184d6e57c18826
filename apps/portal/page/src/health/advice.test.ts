import { expect, it } from 'vitest'
import { adviceOnSpending } from './advice.ts'

const tally = { moments: 10, failures: 0, tokens: 0, money: 0, seconds: { p50: 1, p95: 2 } }
const found = {
  since: '',
  all: tally,
  parts: [],
  beings: [],
  roles: [],
  models: [],
  threads: [],
  failures: [],
  isAll: true,
}
const failed = (being: string, n: number, reason: string, message: string | null = null) => ({
  being,
  n,
  reason,
  at: '',
  role: null,
  model: null,
  message,
})

it('says what to do about each kind of failure, the most frequent first, and shows one', () => {
  const failures = [
    failed('@a', 9, 'FORBIDDEN'),
    failed('@b', 2, 'LLM_TIMEOUT'),
    failed('@a', 8, 'FORBIDDEN'),
  ]
  const advice = adviceOnSpending({ ...found, failures })
  expect(advice.map(({ moment }) => moment)).toEqual([
    { being: '@a', n: 9 },
    { being: '@b', n: 2 },
  ])
  expect(advice[0]?.text).toMatch(/^2 moments failed with FORBIDDEN, most of @a\. .*Widen the role/)
})

it('failures of one code that need something else are apart', () => {
  const failures = [
    failed('@a', 9, 'LLM_FAILED', 'model answered 401: check OPENAI_API_KEY'),
    failed('@b', 2, 'LLM_FAILED', 'model answered 503'),
    failed('@a', 8, 'LLM_FAILED', 'model answered 401: check OPENAI_API_KEY'),
  ]
  expect(adviceOnSpending({ ...found, failures }).map(({ text }) => text)).toEqual([
    expect.stringMatching(/^2 moments .*refused the key/),
    expect.stringMatching(/^A moment .*answered with an error/),
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
  expect(adviceOnSpending(found)).toEqual([{ tone: 'good', text: 'Nothing failed, and nothing stands out.' }])
})
