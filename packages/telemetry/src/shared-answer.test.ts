import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { sharing } from './shared-answer.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

it.each([
  { afterMs: 99, made: 1 },
  { afterMs: 100, made: 2 },
])(
  'what is shared for 100 ms is made $made times for two who ask $afterMs ms apart',
  async ({ afterMs, made }) => {
    const make = vi.fn(async () => 'text')
    const ask = sharing(100, make)
    expect(await ask()).toBe('text')
    vi.advanceTimersByTime(afterMs)
    expect(await ask()).toBe('text')
    expect(make).toHaveBeenCalledTimes(made)
  },
)

it('a failure is told to all who wait for it, and the next one asks again', async () => {
  const make = vi.fn(async () => 'text')
  make.mockRejectedValueOnce(new Error('away'))
  const ask = sharing(100, make)
  const asked = await Promise.allSettled([ask(), ask()])
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await ask()).toBe('text')
  expect(make).toHaveBeenCalledTimes(2)
})
