import { expect, it } from 'vitest'
import { beatsOf } from './beats.ts'

const AT = Date.parse('2026-11-27T00:00:00Z')
const fault = (part: 'model' | 'script', attempt: number, at: number, seconds: number) => ({
  part,
  attempt,
  at: new Date(AT + at),
  seconds,
  message: `no ${attempt}`,
})
const told = (lived: Partial<Parameters<typeof beatsOf>[0]>) =>
  beatsOf({ cameAt: AT - 40, openedAt: AT, sealedAt: AT + 1000, attempts: [], faults: [], ...lived }).map(
    ({ name, from, to, attempt, fault }) =>
      [name, from - AT, to - AT, attempt, fault].filter((part) => part !== undefined),
  )

it('a moment without attempts is one stretch, after its wait', () => {
  expect(told({})).toEqual([
    ['wait', -40, 0],
    ['work', 0, 1000],
  ])
  expect(told({ cameAt: null })).toEqual([['work', 0, 1000]])
})

it('calls of a model stand in order, with why one failed, and what was between them', () => {
  const attempts = [
    { attempt: 1, at: AT + 100, settledAt: null, tokens: 5 },
    { attempt: 2, at: AT + 400, settledAt: AT + 900, tokens: 7 },
  ]
  expect(told({ attempts, faults: [fault('model', 1, 300, 0.2)] })).toEqual([
    ['wait', -40, 0],
    ['work', 0, 100],
    ['think', 100, 300, 1, 'no 1'],
    ['work', 300, 400],
    ['think', 400, 900, 2],
    ['work', 900, 1000],
  ])
})

it('a clock that is wrong moves no stretch out of the moment', () => {
  const attempts = [{ attempt: 1, at: AT - 5000, settledAt: AT + 5000, tokens: 5 }]
  expect(told({ cameAt: AT + 10, attempts, faults: [fault('script', 1, -20, 30)] })).toEqual([
    ['attempt', 0, 0, 1, 'no 1'],
    ['think', 0, 1000, 1],
  ])
})
