import { describe, expect, it } from 'vitest'
import { after, type Floor, isOpen, legalMoves, MOVES, surroundings } from './floor.ts'

const floor: Floor = { grid: { w: 10, h: 10 }, walls: [{ x: 2, y: 3 }] }

describe('what a dancer sees', () => {
  it('position, grid, eight neighbors, walls and legal moves, as the words of the being types draw them', () => {
    expect(
      surroundings(floor, { x: 3, y: 4 }, { '@follower': { x: 4, y: 3 }, '@far': { x: 9, y: 9 } }),
    ).toEqual({
      position: { x: 3, y: 4 },
      grid: { w: 10, h: 10 },
      neighbors: {
        N: 'empty',
        NE: '@follower',
        E: 'empty',
        SE: 'empty',
        S: 'empty',
        SW: 'empty',
        W: 'empty',
        NW: 'wall',
      },
      walls: ['NW'],
      legalMoves: ['STAY', 'N', 'NE', 'E', 'SE', 'S', 'SW', 'W'],
    })
  })

  it.each([
    { at: { x: 0, y: 0 }, legal: ['STAY', 'E', 'SE', 'S'] },
    { at: { x: 9, y: 0 }, legal: ['STAY', 'S', 'SW', 'W'] },
    { at: { x: 0, y: 9 }, legal: ['STAY', 'N', 'NE', 'E'] },
    { at: { x: 9, y: 9 }, legal: ['STAY', 'N', 'W', 'NW'] },
    { at: { x: 5, y: 0 }, legal: ['STAY', 'E', 'SE', 'S', 'SW', 'W'] },
    { at: { x: 5, y: 5 }, legal: [...MOVES] },
    { at: { x: 2, y: 4 }, legal: ['STAY', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'] },
  ])('the edge of the floor is a wall: from $at the legal moves are $legal', ({ at, legal }) => {
    const seen = surroundings(floor, at, {})
    expect(seen.legalMoves).toEqual(legal)
    expect(Object.values(seen.neighbors).filter((there) => there === 'wall')).toHaveLength(9 - legal.length)
  })

  it('from every square of a floor each move is legal or towards a wall, never both', () => {
    const narrow: Floor = { grid: { w: 4, h: 3 }, walls: [0, 1, 2].map((x) => ({ x, y: 1 })) }
    for (let x = 0; x < 4; x++)
      for (let y = 0; y < 3; y++) {
        if (!isOpen(narrow, { x, y })) continue
        const seen = surroundings(narrow, { x, y }, {})
        expect([...seen.legalMoves, ...seen.walls].sort()).toEqual([...MOVES].sort())
        for (const move of seen.legalMoves) expect(isOpen(narrow, after({ x, y }, move))).toBe(true)
      }
  })

  it('tells all dancers on one square', () => {
    const at = { x: 5, y: 4 }
    expect(surroundings(floor, { x: 5, y: 5 }, { '@ada': at, '@bo': at }).neighbors.N).toBe('@ada @bo')
  })

  it('a being that is not on the floor has no move', () => {
    expect(surroundings(floor, null, {})).toEqual({
      position: null,
      grid: { w: 10, h: 10 },
      neighbors: {},
      walls: [],
      legalMoves: [],
    })
  })
})

it('STAY stays, and every other move reaches another of the eight squares around', () => {
  const from = { x: 1, y: 1 }
  expect(after(from, 'STAY')).toEqual(from)
  const reached = MOVES.map((move) => after(from, move))
  expect(new Set(reached.map(({ x, y }) => `${x},${y}`)).size).toBe(9)
  expect(legalMoves({ grid: { w: 1, h: 1 }, walls: [] }, { x: 0, y: 0 })).toEqual(['STAY'])
})
