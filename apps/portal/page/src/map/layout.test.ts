import { describe, expect, it } from 'vitest'
import { layOut, nearest } from './layout.ts'
import { groundOf, type MapMark, type MapSpot, spotOn } from './plan.ts'

const mark = (key: string, spot: MapSpot | null): MapMark => ({
  key,
  spot,
  roles: [],
  words: null,
  isEnded: false,
  beings: null,
})
const plan = (extent: MapSpot | null, marks: readonly MapMark[]) => ({
  path: '/floor',
  extent,
  walls: [],
  marks,
})

describe('the layout of a map', () => {
  it('puts each mark in the middle of its square', () => {
    const { drawn, board } = layOut(
      plan({ x: 4, y: 2 }, [mark('being:a', { x: 0, y: 0 }), mark('being:b', { x: 3, y: 1 })]),
      400,
    )
    const { x, y, cell } = board ?? { x: 0, y: 0, cell: 0 }
    expect(drawn.map((one) => [(one.x - x) / cell, (one.y - y) / cell])).toEqual([
      [0.5, 0.5],
      [3.5, 1.5],
    ])
  })

  it.each([1, 2, 5, 40])('keeps %i that share a square within it', (count) => {
    const marks = Array.from({ length: count }, (_, i) => mark(`being:b${i}`, { x: 1, y: 1 }))
    const { drawn, board } = layOut(plan({ x: 3, y: 3 }, marks), 300)
    const { x, y, cell } = board ?? { x: 0, y: 0, cell: 0 }
    for (const one of drawn) {
      expect(one.x - one.rx).toBeGreaterThanOrEqual(x + cell - 1)
      expect(one.x + one.rx).toBeLessThanOrEqual(x + 2 * cell + 1)
      expect(one.y - one.ry).toBeGreaterThanOrEqual(y + cell - 1)
      expect(one.y + one.ry).toBeLessThanOrEqual(y + 2 * cell + 1)
    }
    expect(new Set(drawn.map((one) => `${one.x} ${one.y}`)).size).toBe(count)
  })

  it.each([
    { extent: { x: 10, y: 10 }, width: 358 },
    { extent: { x: 100, y: 100 }, width: 358 },
    { extent: { x: 10_000, y: 3 }, width: 900 },
    { extent: null, width: 358 },
  ])('draws nothing beyond a width of $width px, for $extent', ({ extent, width }) => {
    const marks = [
      mark('space:/a', null),
      ...Array.from({ length: 300 }, (_, i) =>
        mark(`being:b${i}`, i % 2 === 0 ? { x: i % 10, y: i % 3 } : null),
      ),
    ]
    const { drawn, height, board } = layOut(plan(extent, marks), width)
    expect(drawn).toHaveLength(marks.length)
    for (const one of drawn) {
      expect(one.x - one.rx).toBeGreaterThanOrEqual(0)
      expect(one.x + one.rx).toBeLessThanOrEqual(width)
      expect(one.y + one.ry).toBeLessThanOrEqual(height)
    }
    if (extent !== null) expect((board?.cell ?? 0) * extent.x).toBeLessThanOrEqual(width)
  })

  it('arrow keys find the nearest mark ahead', () => {
    const { drawn } = layOut(
      plan({ x: 5, y: 5 }, [
        mark('being:middle', { x: 2, y: 2 }),
        mark('being:right', { x: 4, y: 2 }),
        mark('being:aside', { x: 3, y: 4 }),
      ]),
      500,
    )
    const from = drawn[0]
    if (from === undefined) throw new Error('nothing is drawn')
    expect(nearest(drawn, from, [1, 0])?.mark.key).toBe('being:right')
    expect(nearest(drawn, from, [0, 1])?.mark.key).toBe('being:aside')
    expect(nearest(drawn, from, [-1, 0])).toBeNull()
  })
})

describe('a place on a ground', () => {
  const floor = { width: 3, height: 3, walls: [] }
  it('is the coord where the space has a size, and a square on a floor of the same extension', () => {
    const sized = groundOf({ x: 5, y: 5 }, {})
    const danced = groundOf(null, { dance: floor })
    const spots = { dance: { x: 1, y: 1 }, chess: { x: 2, y: 2 } }
    expect(spotOn(sized, { coord: { x: 4, y: 0 }, spots })).toEqual({ x: 4, y: 0 })
    expect(spotOn(sized, { coord: null, spots })).toBeNull()
    expect(spotOn(danced, { coord: null, spots })).toEqual({ x: 1, y: 1 })
    expect(spotOn(danced, { coord: null, spots: { chess: { x: 2, y: 2 } } })).toBeNull()
    expect(spotOn(danced, { coord: null, spots: { dance: { x: 3, y: 0 } } })).toBeNull() // off the floor
    expect(spotOn(groundOf(null, { dance: null }), { coord: null, spots })).toBeNull()
  })
})
