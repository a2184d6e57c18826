import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pace } from './pace.ts'

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
