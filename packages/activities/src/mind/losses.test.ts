import { describe, expect, it } from 'vitest'
import { describeLosses, nextDelayMs } from './losses.ts'

const lost = (message: string, ...ago: number[]) => ago.map((agoSeconds) => ({ message, agoSeconds }))

describe('nextDelayMs', () => {
  const next = (losses: number, over: object = {}) =>
    nextDelayMs({
      losses: lost('x', ...Array.from({ length: losses }, () => 1)),
      retryAfterMs: undefined,
      patienceSeconds: 90,
      chance: 0,
      ...over,
    })

  it.each([
    [1, 500],
    [2, 1000],
    [5, 8000],
    [6, 15_000],
    [40, 15_000],
  ])('after %i losses: %i ms', (losses, ms) => expect(next(losses)).toBe(ms))

  it('is up to a fifth shorter by chance', () => {
    expect(next(1, { chance: 1 })).toBe(400)
    expect(next(40, { chance: 1 })).toBe(12_000)
  })

  it('heeds a longer Retry-After, also against chance, and no shorter one', () => {
    expect(next(1, { retryAfterMs: 30_000, chance: 1 })).toBe(30_000)
    expect(next(3, { retryAfterMs: 1 })).toBe(2000)
  })

  it.each([
    { what: 'within patience', ago: 75, delay: 15_000 },
    { what: 'past patience', ago: 75.1, delay: null },
  ])('gives up when the next attempt would begin $what: no', ({ ago, delay }) => {
    const losses = lost('x', ago, 70, 60, 50, 40, 30, 20)
    expect(nextDelayMs({ losses, retryAfterMs: undefined, patienceSeconds: 90, chance: 0 })).toBe(delay)
  })

  it('makes a second attempt after a first one that hung for longer than patience', () => {
    const losses = lost('x', 120)
    expect(nextDelayMs({ losses, retryAfterMs: undefined, patienceSeconds: 90, chance: 0 })).toBe(500)
  })

  it('gives up after the most attempts, whatever the time', () => {
    expect([next(3, { attemptsMax: 4 }), next(4, { attemptsMax: 4 })]).toEqual([2000, null])
  })

  it('gives up at once when the provider asks for more than is left', () => {
    expect(next(1, { retryAfterMs: 90_000 })).toBe(90_000)
    expect(next(1, { retryAfterMs: 90_001 })).toBeNull()
  })

  it('outlives an outage of a minute', () => {
    let seconds = 0
    const losses: { message: string; agoSeconds: number }[] = []
    while (seconds <= 60) {
      losses.push({ message: 'x', agoSeconds: 0 })
      const ago = losses.map((loss, i) => (i === 0 ? { ...loss, agoSeconds: seconds } : loss))
      const delay = nextDelayMs({ losses: ago, retryAfterMs: undefined, patienceSeconds: 90, chance: 1 })
      if (delay === null) break
      seconds += delay / 1000
    }
    expect(seconds).toBeGreaterThan(60)
  })
})

describe('describeLosses', () => {
  it('says what the provider answered, how often and for how long', () => {
    expect(describeLosses(lost('model answered 500', 3.2, 2, 1, 0.1), undefined)).toBe(
      'model answered 500 four times in 4 s',
    )
  })
  it('says what it asks for', () => {
    expect(describeLosses(lost('model answered 429', 0.2), 3_600_000)).toBe(
      'model answered 429 once in 1 s; it asks to wait 3600 s',
    )
  })
  it('lists different losses in their order', () => {
    const losses = [
      ...lost('model did not answer within 2 s', 14),
      ...lost('model answered 503', ...Array(10).fill(1)),
    ]
    expect(describeLosses(losses, undefined)).toBe(
      'model did not answer within 2 s once, model answered 503 10 times in 14 s',
    )
  })
})
