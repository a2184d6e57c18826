import { expect, it } from 'vitest'
import { circleOf, heightOf, labelAt, NARROW, WIDE, widthOf } from './circle.ts'

const spoke = (from: string, to: string, count = 1, failed = 0) => ({
  from,
  to,
  count,
  failed,
  words: null,
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
/** Height of a letter with its descender. */
const LINE_PX = 12

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

it.each([WIDE, NARROW])('no name covers another, for any number of beings up to $nodesMax', (size) => {
  for (let count = 2; count <= size.nodesMax; count++) {
    const all = Array.from({ length: count - 1 }, (_, i) => spoke('@hub', `@b${i}`))
    const boxes = circleOf(all, size).nodes.map((node) => {
      const { x, y } = labelAt(node, heightOf(size))
      const width = size.nameChars * LETTER_PX
      const left = node.side === 'middle' ? x - width / 2 : node.side === 'start' ? x : x - width
      return { left, right: left + width, y }
    })
    for (const [i, a] of boxes.entries())
      for (const b of boxes.slice(i + 1))
        expect(
          a.left >= b.right || b.left >= a.right || Math.abs(a.y - b.y) >= LINE_PX,
          `${count} beings: ${JSON.stringify([a, b])}`,
        ).toBe(true)
  }
})

it('has nothing to draw where nobody spoke', () => {
  expect(circleOf([], WIDE)).toEqual({ nodes: [], lines: [], others: 0 })
})
