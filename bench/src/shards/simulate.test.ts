import { describe, expect, it } from 'vitest'
import type { RecordedAppend } from './recorded.ts'
import {
  describeReach,
  kindsOf,
  mostlyChecked,
  multiplied,
  PLACEMENTS,
  placing,
  reachOf,
  simulate,
} from './simulate.ts'

const moment = (being: string, written: string[], checked: string[]): RecordedAppend => ({
  being,
  written: [...written, `moments:${being}`],
  checked,
})
/** 20 beings of two spaces, each of which wrote to itself and looked at its space. */
const town = Array.from({ length: 20 }, (_, i) =>
  moment(`b-${i}`, [`being:b-${i}`], ['registry', `space:/hall-${i % 2}`]),
)

describe('appends on several shards', () => {
  it.each(PLACEMENTS)('by %s: one shard holds all, and each reel lies on one of many', (placement) => {
    expect(simulate(town, 1, placement)).toMatchObject({
      spanning: 0,
      twoPhase: 0,
      flushes: 1,
      transactions: 1,
      busiest: 1,
      capacity: 1,
    })
    const place = placing(placement, 8, town)
    for (const { written, checked } of town)
      for (const reel of [...written, ...checked]) {
        expect(place(reel)).toBe(placing(placement, 8, town)(reel))
        expect([0, 1, 2, 3, 4, 5, 6, 7]).toContain(place(reel))
      }
  })

  it('the records of a being lie beside it, but not by the hash of each reel', () => {
    const apart = (placement: 'reel' | 'being') => {
      const place = placing(placement, 8, town)
      return town.filter((_, i) => place(`being:b-${i}`) !== place(`moments:b-${i}`)).length
    }
    expect(apart('being')).toBe(0)
    expect(apart('reel')).toBeGreaterThan(10)
    expect(simulate(town, 8, 'being').twoPhase).toBe(0)
    expect(simulate(town, 8, 'reel').twoPhase).toBeGreaterThan(0.5)
  })

  it('neighbours lie with their space, so only the registry is elsewhere, and a copy of it ends that', () => {
    const place = placing('neighbours', 8, town)
    for (const i of town.keys()) expect(place(`being:b-${i}`)).toBe(place(`space:/hall-${i % 2}`))
    const { spanning, spanningWithCopies } = simulate(town, 8, 'neighbours')
    expect(spanning).toBeGreaterThan(0.4)
    expect(spanningWithCopies).toBe(0)
  })

  it('two phases cost two flushes on each shard that is written to, and a check none', () => {
    const place = (reel: string) => Number(reel.slice(1))
    const append = { being: null, written: ['r1', 'r0', 'r0'], checked: ['r1', 'r2', 'r3'] }
    expect(reachOf(append, place)).toEqual({ writes: [0, 1], checks: [2, 3] })
    expect(reachOf(append, place, (reel) => reel === 'r3')).toEqual({ writes: [0, 1], checks: [2] })
    const { flushes, transactions, twoPhase } = simulate([append], 8, 'reel')
    const { writes, checks } = reachOf(append, placing('reel', 8, [append]))
    expect(twoPhase).toBe(writes.length > 1 ? 1 : 0)
    expect(flushes).toBe(writes.length > 1 ? 2 * writes.length : 1)
    expect(transactions).toBe(writes.length + checks.length)
  })

  it('a reel that is written to as often as checked is not copied', () => {
    const isCopied = mostlyChecked(town)
    expect(isCopied('registry')).toBe(true)
    expect(isCopied('being:b-0')).toBe(false)
    expect(mostlyChecked([...town, ...town.map(() => moment('x', ['registry'], []))])('registry')).toBe(false)
  })

  it('a larger reality has one registry, one operator and other places', () => {
    const [first, second] = multiplied(
      [moment('operator', ['world:x', 'being:ada'], ['registry', 'space:/'])],
      2,
    )
    expect(first?.written).toEqual(['world:x', 'being:ada~0', 'moments:operator'])
    expect(second).toEqual({
      being: 'operator',
      written: ['world:x', 'being:ada~1', 'moments:operator'],
      checked: ['registry', 'space:/'],
    })
  })

  it('says what an append reaches, and refuses a reality that has none', () => {
    expect(describeReach(town).written).toEqual({ p50: 2, p95: 2, max: 2 })
    expect(kindsOf(town)).toEqual({
      being: { written: 1, checked: 0 },
      moments: { written: 1, checked: 0 },
      registry: { written: 0, checked: 1 },
      space: { written: 0, checked: 1 },
    })
    expect(() => simulate([], 2, 'reel')).toThrow('no append')
  })
})
