import type { BeingStanding } from '@treeos/store'
import { describe, expect, it } from 'vitest'
import { statesIn } from './states.ts'

const QUIET = { isEnded: false, isDriven: false, isPaused: false, isPerson: false }
const standing = (fields: Partial<BeingStanding> = {}): BeingStanding => ({
  being: 'ann',
  isParked: false,
  asks: false,
  isWorking: false,
  hasWakes: false,
  hasFailed: false,
  ...fields,
})

describe('the states of a being', () => {
  it.each([
    { why: 'nothing waits for it', shown: {}, of: {}, states: ['asleep'] },
    { why: 'a wake waits for it', shown: {}, of: { hasWakes: true }, states: [] },
    { why: 'a moment of it has begun', shown: {}, of: { isWorking: true }, states: ['working'] },
    {
      why: 'it is a person who looks around',
      shown: { isPerson: true },
      of: { isWorking: true },
      states: [],
    },
    { why: 'it is a person for whom nothing waits', shown: { isPerson: true }, of: {}, states: [] },
    {
      why: 'it is paused, parked and asks',
      shown: { isPaused: true },
      of: { isParked: true, asks: true, hasFailed: true },
      states: ['paused', 'parked', 'asks', 'failed'],
    },
  ])('are $states when $why', ({ shown, of, states }) => {
    expect(statesIn({ ...QUIET, ...shown }, standing(of))).toEqual(states)
  })

  it('say nothing else of a being that has ended', () => {
    expect(statesIn({ ...QUIET, isEnded: true, isDriven: true }, standing({ hasFailed: true }))).toEqual([
      'ended',
    ])
  })

  it('hold what SEE shows alone where its past is not open: never that it sleeps or has failed', () => {
    expect(statesIn(QUIET, undefined)).toEqual([])
    expect(statesIn({ ...QUIET, isDriven: true }, undefined)).toEqual(['driven'])
  })
})
