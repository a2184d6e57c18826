import { expect, it } from 'vitest'
import { circleOf, HEIGHT, NODES_MAX, WIDTH } from './circle.ts'

const spoke = (from: string, to: string, count = 1, failed = 0) => ({
  from,
  to,
  count,
  failed,
  last: '2026-11-27T00:00:00.000Z',
  thread: 't',
})

it('draws each being once, those that spoke most first, and a line each way', () => {
  const { nodes, lines, others } = circleOf([spoke('@a', '@b', 8, 1), spoke('@b', '@a'), spoke('@c', '@b')])
  expect(nodes.map(({ stance }) => stance)).toEqual(['@b', '@a', '@c'])
  expect(lines.map(({ width, isFailing }) => [width, isFailing])).toEqual([
    [4, true],
    [1, false],
    [1, false],
  ])
  expect(new Set(lines.map(({ path }) => path)).size).toBe(3)
  expect(others).toBe(0)
})

it('leaves out whom there is no room for, and says how many', () => {
  const { nodes, others } = circleOf(Array.from({ length: 60 }, (_, i) => spoke('@hub', `@b${i}`, 60 - i)))
  expect([nodes.length, others]).toEqual([NODES_MAX, 61 - NODES_MAX])
  for (const { x, y } of nodes) expect(x > 0 && x < WIDTH && y > 0 && y < HEIGHT).toBe(true)
})

it('has nothing to draw where nobody spoke', () => {
  expect(circleOf([])).toEqual({ nodes: [], lines: [], others: 0 })
})
