import { expect, it } from 'vitest'
import { CHILD_STATES, type ChildState, requireMove, SPAWN_STATES } from './lifecycle.ts'

const moves = (from: ChildState): ChildState[] =>
  CHILD_STATES.filter((to) => {
    try {
      requireMove('kid', from, to)
      return true
    } catch (error) {
      expect(error).toMatchObject({
        code: 'RESOURCE_CONFLICT',
        message: expect.stringContaining(`@kid is ${from}`),
      })
      return false
    }
  })

it('a spawn passes its states in order, and each of them may fail', () => {
  for (const [i, from] of SPAWN_STATES.slice(0, -1).entries())
    expect(moves(from).sort()).toEqual([SPAWN_STATES[i + 1], 'failed'].sort())
  expect(moves('starting')).toEqual(['healthy', 'failed'])
})

it('a healthy child never fails at once, and a cleaned up one becomes nothing', () => {
  expect(moves('healthy')).toEqual(['unhealthy', 'stopped'])
  expect(moves('unhealthy')).toEqual(['healthy', 'stopped', 'failed'])
  expect(moves('cleaned_up')).toEqual([])
})

it('a child that stopped or failed starts again or is cleaned up', () => {
  for (const gone of ['stopped', 'failed'] as const) expect(moves(gone)).toEqual(['starting', 'cleaned_up'])
})
