import type { OpenedMoment } from '@treeos/protocol'
import { afterEach, expect, it, vi } from 'vitest'
import { MomentAllowance } from './allowance.ts'

afterEach(() => vi.restoreAllMocks())

const at = (ms: number) => vi.spyOn(performance, 'now').mockReturnValue(ms)
const opened = (bytes: number) => ({ context: { text: 'x'.repeat(bytes) } }) as unknown as OpenedMoment

it.each([
  { tookMs: [1490], mayBegin: true },
  { tookMs: [1500], mayBegin: false },
  { tookMs: [10, 2900], mayBegin: false },
  { tookMs: [2900, 10], mayBegin: true },
])(
  'after moments of $tookMs ms another one may begin: $mayBegin, by the time that the last one took',
  (of) => {
    at(0)
    const allowance = new MomentAllowance(16)
    let now = 0
    let may = true
    for (const ms of of.tookMs) {
      now += ms
      at(now)
      may = allowance.end()
    }
    expect(may).toBe(of.mayBegin)
  },
)

it('no more moments may begin than there is room for', () => {
  const allowance = new MomentAllowance(2)
  expect([allowance.hasRoomAfter, allowance.end()]).toEqual([true, true])
  expect([allowance.hasRoomAfter, allowance.end()]).toEqual([false, false])
})

it('the first moment is taken whatever its bytes, and others up to 64 KiB together', () => {
  const large = new MomentAllowance(16)
  expect(large.takes(opened(100_000))).toBe(true)
  large.end()
  expect(large.takes(opened(1))).toBe(false)

  const small = new MomentAllowance(16)
  const taken = Array.from({ length: 4 }, () => {
    const takes = small.takes(opened(20_000))
    small.end()
    return takes
  })
  expect(taken).toEqual([true, true, true, false])
})
