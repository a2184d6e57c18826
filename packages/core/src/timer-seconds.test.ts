import { expect, it } from 'vitest'
import { TIMER_SECONDS_MAX, timerMs, timerSecondsIn } from './timer-seconds.ts'

it.each<[string | undefined, number | null]>([
  [undefined, 7],
  ['', 7],
  ['120', 120],
  ['0.5', 0.5],
  ['2147483', 2_147_483],
  ['2147484', null],
  ['31536000', null],
  ['0', null],
  ['-1', null],
  ['Infinity', null],
  ['1e400', null],
  ['2 minutes', null],
])('%j s are a timer of %j s', (text, seconds) => {
  const read = () => timerSecondsIn({ TREEOS_X_SECONDS: text }, 'TREEOS_X_SECONDS', 7)
  if (seconds === null)
    expect(read).toThrow(/^TREEOS_X_SECONDS is ".*"; it takes a number of seconds above 0/)
  else expect(read()).toBe(seconds)
})

it('is the longest that Node waits for', () => {
  expect(TIMER_SECONDS_MAX * 1000).toBeLessThan(2 ** 31)
  expect((TIMER_SECONDS_MAX + 1) * 1000).toBeGreaterThan(2 ** 31 - 1)
})

it.each([
  [0, 0],
  [-1, 0],
  [0.0001, 1],
  [1.5, 1500],
  [0.1 + 0.2, 301], // a little more than 300 ms, and `AbortSignal.timeout` takes whole numbers alone
  [TIMER_SECONDS_MAX, TIMER_SECONDS_MAX * 1000],
  [31_536_000, TIMER_SECONDS_MAX * 1000],
  [Number.POSITIVE_INFINITY, TIMER_SECONDS_MAX * 1000],
])('%d s are a timer of %d ms, which every timer of Node takes', (seconds, ms) => {
  expect(timerMs(seconds)).toBe(ms)
  expect(AbortSignal.timeout(timerMs(seconds)).aborted).toBe(false)
})
