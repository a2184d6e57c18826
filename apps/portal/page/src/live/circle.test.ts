import { expect, it } from 'vitest'
import { circleOf, heightOf, NARROW, WIDE, widthOf } from './circle.ts'

const spoke = (from: string, to: string, count = 1, failed = 0) => ({
  from,
  to,
  count,
  failed,
  last: '2026-11-27T00:00:00.000Z',
  thread: 't',
})

it('draws each being once, those that spoke most first, and a line each way', () => {
  const { nodes, lines, others } = circleOf(
    [spoke('@a', '@b', 8, 1), spoke('@b', '@a'), spoke('@c', '@b')],
    WIDE,
  )
  expect(nodes.map(({ stance }) => stance)).toEqual(['@b', '@a', '@c'])
  expect(lines.map(({ width, isFailing }) => [width, isFailing])).toEqual([
    [4, true],
    [1, false],
    [1, false],
  ])
  expect(new Set(lines.map(({ path }) => path)).size).toBe(3)
  expect(others).toBe(0)
})

/** Width of a letter of 13 px, about, and what is between a being and its name. */
const LETTER_PX = 7.7
const GAP_PX = 16

it.each([WIDE, NARROW])(
  'leaves out whom there is no room for beyond $nodesMax, says how many, and cuts no name',
  (size) => {
    const all = Array.from({ length: 60 }, (_, i) => spoke('@hub', `@b${i}`, 60 - i))
    const { nodes, others } = circleOf(all, size)
    expect([nodes.length, others]).toEqual([size.nodesMax, 61 - size.nodesMax])
    const name = GAP_PX + size.nameChars * LETTER_PX
    for (const { x, y, side } of nodes) {
      expect(y > 0 && y < heightOf(size)).toBe(true)
      expect(x - (side === 'end' ? name : 0)).toBeGreaterThan(0)
      expect(x + (side === 'start' ? name : 0)).toBeLessThan(widthOf(size))
    }
  },
)

it('has nothing to draw where nobody spoke', () => {
  expect(circleOf([], WIDE)).toEqual({ nodes: [], lines: [], others: 0 })
})
