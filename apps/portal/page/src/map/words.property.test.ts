import fc from 'fast-check'
import { expect, it } from 'vitest'
import { layOut } from './layout.ts'
import { type MapMark, markKind, type Plan } from './plan.ts'
import type { Box } from './words.ts'

const spot = fc.record({ x: fc.nat({ max: 11 }), y: fc.nat({ max: 7 }) })
const words = fc.oneof(
  fc.constant(null),
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('我们明天再谈退款的事情好吗', 'W'.repeat(80), '   ', 'short'),
)
const mark = fc.record({
  key: fc
    .tuple(fc.constantFrom('being:', 'space:/', 'matter:'), fc.stringMatching(/^[a-z][a-z0-9-]{0,39}$/))
    .map(([kind, name]) => kind + name),
  spot: fc.option(spot),
  words,
})
const world = fc.record({
  extent: fc.option(fc.record({ x: fc.integer({ min: 12, max: 40 }), y: fc.integer({ min: 8, max: 40 }) })),
  marks: fc.uniqueArray(mark, { maxLength: 24, selector: ({ key }) => key }),
  width: fc.integer({ min: 200, max: 1200 }),
})
const planOf = ({ extent, marks }: { extent: Plan['extent']; marks: readonly object[] }): Plan => ({
  path: '/',
  extent,
  walls: [],
  marks: marks.map((one) => ({ roles: [], isEnded: false, beings: null, ...one }) as unknown as MapMark),
})

const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

it('in any world names and bubbles cover no mark, no name and no bubble, and stay on the map', () => {
  fc.assert(
    fc.property(world, ({ width, ...rest }) => {
      const { drawn, names, bubbles, height } = layOut(planOf(rest), width)
      const marks = drawn.map(({ x, y, rx, ry }) => ({ x: x - rx, y: y - ry, width: 2 * rx, height: 2 * ry }))
      const placed = [...names.values(), ...bubbles.values()]
      for (const [i, one] of placed.entries()) {
        expect(one.x).toBeGreaterThanOrEqual(0)
        expect(one.y).toBeGreaterThanOrEqual(0)
        expect(one.x + one.width).toBeLessThanOrEqual(width)
        expect(one.y + one.height).toBeLessThanOrEqual(height)
        for (const other of [...marks, ...placed.slice(0, i)]) expect(overlap(one, other)).toBe(false)
      }
    }),
    { numRuns: 300 },
  )
})

it('who stands alone has its name, and says something beside it', () => {
  fc.assert(
    fc.property(world, mark, ({ extent, width }, one) => {
      fc.pre(markKind(one as unknown as MapMark) !== 'space')
      const alone = { ...one, words: 'Good day' }
      const { names, bubbles } = layOut(planOf({ extent, marks: [alone] }), width)
      expect(names.size).toBe(1)
      expect(bubbles.get(one.key)?.text).toBe('Good day')
    }),
    { numRuns: 200 },
  )
})
