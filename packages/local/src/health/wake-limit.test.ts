import { expect, it } from 'vitest'
import { wakeLimit } from './wake-limit.ts'

const wakes = { waiting: 9, oldestSeconds: 12 }
const load = { busy: 0.3, stepsWaiting: 0, mindsAsked: 0 }
const crowd = { wakes, paced: 0, living: 1, load }

it.each([
  { what: 'no worker', given: { living: 0, load: null }, limit: 'workers' },
  { what: 'budgets of all', given: { paced: 9 }, limit: 'budgets' },
  { what: 'budgets of some', given: { paced: 8 }, limit: null },
  {
    what: 'a busy event loop',
    given: { load: { ...load, busy: 0.95, stepsWaiting: 5 } },
    limit: 'processors',
  },
  {
    what: 'steps that wait',
    given: { load: { ...load, stepsWaiting: 5, mindsAsked: 5 } },
    limit: 'postgres',
  },
  { what: 'minds that are asked', given: { load: { ...load, mindsAsked: 5 } }, limit: 'minds' },
  { what: 'nothing that tells', given: { load: null, living: null, paced: null }, limit: null },
  {
    what: 'wakes that have just come',
    given: { wakes: { waiting: 9, oldestSeconds: 0.4 }, living: 0 },
    limit: null,
  },
  { what: 'no wakes', given: { wakes: { waiting: 0, oldestSeconds: 0 }, living: 0 }, limit: null },
])('of wakes that wait with $what, the limit is $limit', ({ given, limit }) => {
  expect(wakeLimit({ ...crowd, ...given })).toBe(limit)
})
