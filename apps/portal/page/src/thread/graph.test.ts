import { expect, it } from 'vitest'
import { graphOf } from './graph.ts'

const line = (id: string, from: string | null, to: string, inReplyTo: string | null = null) => ({
  id,
  from,
  to,
  inReplyTo,
})

it('beings stand in layers below who asked them, and an answer is counted with its ask', () => {
  const { nodes, edges } = graphOf([
    line('1', '@op', '@judge'),
    line('2', '@judge', '@clerk'),
    line('3', '@judge', '@witness'),
    line('4', '@clerk', '@judge', '2'),
    line('5', '@judge', '@op', '1'),
  ])
  expect(nodes).toEqual([
    { stance: '@op', layer: 0, place: 0, of: 1 },
    { stance: '@judge', layer: 1, place: 0, of: 1 },
    { stance: '@clerk', layer: 2, place: 0, of: 2 },
    { stance: '@witness', layer: 2, place: 1, of: 2 },
  ])
  expect(edges).toEqual([
    { from: '@op', to: '@judge', asks: 1, answers: 1 },
    { from: '@judge', to: '@clerk', asks: 1, answers: 1 },
    { from: '@judge', to: '@witness', asks: 1, answers: 0 },
  ])
})

it('two that ask each other, and one who speaks to itself, end', () => {
  const { nodes, edges } = graphOf([
    line('1', '@a', '@b'),
    line('2', '@b', '@a'),
    line('3', '@a', '@a'),
    line('4', null, '@c'),
  ])
  expect(nodes.map(({ stance, layer }) => [stance, layer])).toEqual([
    ['@a', 0],
    ['@b', 1],
    ['@c', 0],
  ])
  expect(edges).toHaveLength(2)
})
