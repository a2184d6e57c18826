import { describe, expect, it } from 'vitest'
import { Pace } from './pace.ts'

describe('a pace', () => {
  it('lets a burst through, then refuses until it fills up again', () => {
    const pace = new Pace({ burst: 3, perSecond: 2 })
    for (let i = 0; i < 3; i++) pace.take('ann', 0)
    expect(() => pace.take('ann', 0)).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }))
    expect(() => pace.take('ann', 499)).toThrow()
    expect(() => pace.take('ann', 500)).not.toThrow()
  })

  it('counts each key by itself', () => {
    const pace = new Pace({ burst: 1, perSecond: 1 })
    pace.take('ann', 0)
    expect(() => pace.take('ann', 0)).toThrow()
    expect(() => pace.take('ben', 0)).not.toThrow()
  })
})
