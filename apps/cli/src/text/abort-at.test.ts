import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { abortAt } from './abort-at.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const DAY_MS = 86_400_000

it.each([
  ['one second', 1_000],
  ['24 days', 24 * DAY_MS],
  ['25 days, which is more than one timer of Node', 25 * DAY_MS],
  ['a year', 365 * DAY_MS],
])('%s away aborts then, and no earlier', (_what, ms) => {
  const signal = abortAt(Date.now() + ms)
  vi.advanceTimersByTime(ms - 1)
  expect(signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(signal.aborted).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

it('what is over aborts at once', () => expect(abortAt(Date.now()).aborted).toBe(true))
