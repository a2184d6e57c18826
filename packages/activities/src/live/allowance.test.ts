import type { OpenedMoment } from '@treeos/protocol'
import { afterEach, expect, it, vi } from 'vitest'
import { MomentAllowance } from './allowance.ts'

afterEach(() => vi.restoreAllMocks())

const at = (ms: number) => vi.spyOn(performance, 'now').mockReturnValue(ms)
const opened = (bytes: number) => ({ context: { text: 'x'.repeat(bytes) } }) as unknown as OpenedMoment

it.each([
  { tookMs: [2240], mayBegin: true },
  { tookMs: [2250], mayBegin: false },
  { tookMs: [1030, 1030, 1030], mayBegin: true },
  { tookMs: [1030, 1030, 1030, 1030], mayBegin: false },
  { tookMs: [10, 4400], mayBegin: false },
  { tookMs: [4400, 10], mayBegin: true },
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

it('the mind of the first moment has its whole time, a later one at most until 5 s after the activity began', () => {
  at(0)
  const allowance = new MomentAllowance(16)
  at(1500)
  expect(allowance.mindMs(4000)).toBe(4000)
  allowance.end()
  at(2000)
  expect([allowance.mindMs(4000), allowance.mindMs(1000)]).toEqual([3000, 1000])
})

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
