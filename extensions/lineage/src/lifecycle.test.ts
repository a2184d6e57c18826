import { expect, it } from 'vitest'
import { CHILD_STATES, type ChildState, requireMove } from './lifecycle.ts'

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

it('a child begins as starting, since nothing is set up for it', () => {
  expect(CHILD_STATES[0]).toBe('starting')
  expect(moves('starting')).toEqual(['healthy', 'unhealthy', 'stopped', 'failed'])
})

it('a healthy child never fails at once, and a cleaned up one becomes nothing', () => {
  expect(moves('healthy')).toEqual(['unhealthy', 'stopped'])
  expect(moves('unhealthy')).toEqual(['healthy', 'stopped', 'failed'])
  expect(moves('cleaned_up')).toEqual([])
})

it('a child that stopped or failed starts again or is cleaned up', () => {
  for (const gone of ['stopped', 'failed'] as const) expect(moves(gone)).toEqual(['starting', 'cleaned_up'])
})
