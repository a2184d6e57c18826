import { canonicalJson, type Json } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { evolve } from '../rows/evolve.ts'
import { ANY_JSON, optional } from './argument-forms.ts'
import { Arguments } from './arguments.ts'
import { coordIn, requireInside, sizeIn } from './extent.ts'

/** As the operations read them, without the schemas that refuse most of these before. */
const ANY = optional(ANY_JSON, '')
const given = (args: Record<string, Json>) => new Arguments('move', args, { size: ANY, coord: ANY })
const hall = { path: '/hall', size: { x: 2, y: 3, z: 1 } }

describe('a coord', () => {
  it.each<[Json]>([[{ x: 0, y: 0, z: 0 }], [{ x: 1, y: 2, z: 0 }]])(
    '%j is in a hall of 2 by 3 by 1',
    (coord) => {
      expect(coordIn(given({ coord }), hall)).toEqual({ coord })
    },
  )

  it.each<Json>([
    { x: 2, y: 0, z: 0 },
    { x: 0, y: 3, z: 0 },
    { x: 0, y: 0, z: 1 },
    { x: -1, y: 0, z: 0 },
    { x: 0.5, y: 0, z: 0 },
    { x: 0, y: 0 },
    { x: 0, y: 0, z: 0, w: 0 },
    { x: '0', y: 0, z: 0 },
    [0, 0, 0],
    'here',
  ])('%j is not, and the bounds are named', (coord) => {
    expect(() => coordIn(given({ coord }), hall)).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: expect.stringContaining('within /hall: x from 0 to 1, y from 0 to 2, z from 0 to 0'),
      }),
    )
  })

  it('is refused in a space without a size, and may be left out', () => {
    expect(() => coordIn(given({ coord: { x: 0, y: 0, z: 0 } }), { path: '/den' })).toThrow(
      '/den has no size',
    )
    expect(coordIn(given({}), hall)).toEqual({})
  })
})

it.each<[Json, boolean]>([
  [{ x: 1, y: 1, z: 1 }, true],
  [{ x: 65_536, y: 1, z: 1 }, true],
  [{ x: 65_537, y: 1, z: 1 }, false],
  [{ x: 0, y: 1, z: 1 }, false],
  [{ x: 1, y: 1 }, false],
  [3, false],
])('a size %j is taken: %j', (size, isTaken) => {
  if (isTaken) expect(sizeIn(given({ size }))).toEqual({ size })
  else expect(() => sizeIn(given({ size }))).toThrow('whole numbers from 1 to 65536')
})

it('a space cannot become too small for what lies in it', () => {
  const placed = [
    { name: '@ann', coord: { x: 1, y: 2, z: 0 } },
    { name: '@ben', coord: undefined },
  ]
  expect(() => requireInside('/hall', { x: 2, y: 3, z: 1 }, placed)).not.toThrow()
  for (const size of [{ x: 1, y: 3, z: 1 }, { x: 2, y: 2, z: 1 }, null])
    expect(() => requireInside('/hall', size, placed)).toThrow('would leave @ann outside')
})

it('facts without size and coord fold to the same rows as before those existed', () => {
  const change = { actor: 'ann', at: 7 }
  const space = evolve(null, {
    ...change,
    reel: 'space:/hall',
    kind: 'space:created',
    payload: { path: '/hall', type: 'room', owner: 'ann', qualities: {} },
  })
  expect(canonicalJson(space)).toBe(
    '{"createdAt":7,"name":"hall","owner":"ann","path":"/hall","qualities":{},"type":"room"}',
  )
  const thing = {
    ...change,
    reel: 'matter:cup',
    kind: 'matter:moved',
    payload: { from: '/hall', to: '@ann' },
  }
  expect(canonicalJson(evolve({ id: 'cup', place: '/hall' } as never, thing))).toBe(
    '{"id":"cup","place":"@ann"}',
  )
})

it('a being that enters another space loses its coord, unless the move gives a new one', () => {
  const at = { name: 'ann', space: '/hall', coord: { x: 1, y: 1, z: 0 } } as never
  const moved = (payload: Record<string, Json>) =>
    evolve(at, { actor: 'ann', at: 7, reel: 'being:ann', kind: 'being:moved', payload })
  expect(moved({ from: '/hall', to: '/den' })).toEqual({ name: 'ann', space: '/den' })
  const coord = { x: 0, y: 0, z: 0 }
  expect(moved({ from: '/hall', to: '/hall', coord })).toEqual({ name: 'ann', space: '/hall', coord })
})
