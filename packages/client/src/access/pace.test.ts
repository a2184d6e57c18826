import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { actPace, actsPerMinuteIn, pace } from './pace.ts'

describe('a pace', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const limited = expect.objectContaining({ code: 'RATE_LIMITED' })

  it('lets a burst through, then so many in each span, and a burst again after half a minute', async () => {
    const count = pace({ points: 1, burst: 2 })
    for (let i = 0; i < 3; i++) await count('ann')
    await expect(count('ann')).rejects.toEqual(limited)
    await vi.advanceTimersByTimeAsync(999)
    await expect(count('ann')).rejects.toEqual(limited)
    await vi.advanceTimersByTimeAsync(1)
    await count('ann')
    await expect(count('ann')).rejects.toEqual(limited)
    await vi.advanceTimersByTimeAsync(29_000)
    for (let i = 0; i < 3; i++) await count('ann')
    await expect(count('ann')).rejects.toEqual(limited)
  })

  it('counts each key by itself', async () => {
    const count = pace({ points: 1, burst: 0 })
    await count('ann')
    await expect(count('ann')).rejects.toEqual(limited)
    await count('ben')
  })
})

describe('the acts of a person', () => {
  it('are bounded by the minute, and the refusal names limit and setting', async () => {
    vi.useFakeTimers()
    const count = actPace(3)
    for (let i = 0; i < 3; i++) await count('ann')
    await expect(count('ann')).rejects.toThrow(
      '@ann has acted 3 times within a minute, and may no more (TREEOS_ACTS_PER_MINUTE): try again in 60 s',
    )
    await count('ben')
    await vi.advanceTimersByTimeAsync(60_000)
    await count('ann')
    vi.useRealTimers()
  })

  it.each(['0', '-1', 'many', '1.5'])('cannot be bounded by %j', (text) => {
    expect(() => actsPerMinuteIn(text)).toThrow('TREEOS_ACTS_PER_MINUTE')
    expect([actsPerMinuteIn('7'), actsPerMinuteIn(undefined)]).toEqual([7, 120])
  })
})
