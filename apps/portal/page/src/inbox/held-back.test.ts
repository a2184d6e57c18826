import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { HeldBack } from './held-back.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function start() {
  const [done, shown]: [string[], (string | null)[]] = [[], []]
  return {
    done,
    shown,
    back: new HeldBack<string>(
      (what) => void done.push(what),
      (held) => void shown.push(held),
    ),
  }
}

it('is done after 6 s', () => {
  const { done, shown, back } = start()
  back.hold('a')
  vi.advanceTimersByTime(5_999)
  expect([done, shown]).toEqual([[], ['a']])
  vi.advanceTimersByTime(1)
  expect([done, shown]).toEqual([['a'], ['a', null]])
})

it('is not done once it was undone', () => {
  const { done, shown, back } = start()
  back.hold('a')
  vi.advanceTimersByTime(5_000)
  back.undo()
  vi.advanceTimersByTime(60_000)
  back.flush()
  expect([done, shown]).toEqual([[], ['a', null]])
})

it('is done once and at once when the page goes, or when another one follows', () => {
  const { done, back } = start()
  back.hold('a')
  back.hold('b')
  expect(done).toEqual(['a'])
  back.flush()
  vi.advanceTimersByTime(60_000)
  expect(done).toEqual(['a', 'b'])
})
