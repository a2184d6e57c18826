import { expect, it } from 'vitest'
import { runsOf } from './runs.ts'

const mark = (being: string, n: number, outcome: 'act' | 'failure' = 'act') => ({
  being,
  n,
  outcome,
  reason: outcome === 'failure' ? 'TIMEOUT' : null,
  role: 'resident',
  openedAt: null,
  endedAt: '2026-11-27T04:00:00.000Z',
})

it('what one being did alike after each other is one line with its newest moment, and what fails stands apart', () => {
  const strip = [
    mark('@a', 1),
    mark('@a', 2),
    mark('@b', 1),
    mark('@a', 3),
    mark('@a', 4, 'failure'),
    mark('@a', 5),
  ]
  expect(runsOf(strip, 9).map(({ mark: { being, n }, count }) => [being, n, count])).toEqual([
    ['@a', 5, 1],
    ['@a', 4, 1],
    ['@a', 3, 1],
    ['@b', 1, 1],
    ['@a', 2, 2],
  ])
})

it('at most so many lines, the last of them counted whole', () => {
  const strip = [mark('@c', 1), mark('@a', 1), mark('@a', 2), mark('@b', 1)]
  expect(runsOf(strip, 2).map(({ mark: { being }, count }) => [being, count])).toEqual([
    ['@b', 1],
    ['@a', 2],
  ])
})
