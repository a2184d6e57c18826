import { expect, it } from 'vitest'
import { type FitnessSet, overload } from './index.ts'

/** Sessions in order. Each is a weight with the reps of its sets; the target is 5 reps. */
const did = (...sessions: [weight: number, ...reps: number[]][]): FitnessSet[] =>
  sessions.flatMap(([weight, ...reps], i) =>
    reps.map((done, j) => ({
      exercise: 'squat',
      session: i + 1,
      set: j + 1,
      weight,
      target: 5,
      reps: done,
    })),
  )

it.each<[string, FitnessSet[], ReturnType<typeof overload>]>([
  ['nothing was done', [], null],
  ['all were met', did([60, 5, 5, 5]), { weight: 62.5, why: 'all-met', session: 1 }],
  ['more than all were met', did([60, 9]), { weight: 62.5, why: 'all-met', session: 1 }],
  ['one was missed by one', did([60, 5, 5, 4]), { weight: 60, why: 'missed', session: 1 }],
  ['missed, then met', did([60, 4], [60, 5]), { weight: 62.5, why: 'all-met', session: 2 }],
  ['met, then missed', did([57.5, 5], [60, 4]), { weight: 60, why: 'missed', session: 2 }],
  ['missed twice', did([60, 4], [60, 4]), { weight: 52.5, why: 'missed-twice', session: 2 }],
  ['missed twice, at two weights', did([60, 4], [52.5, 4]), { weight: 52.5, why: 'missed', session: 2 }],
  ['missed, met, missed', did([60, 4], [60, 5], [62.5, 4]), { weight: 62.5, why: 'missed', session: 3 }],
  ['light, missed twice', did([2.5, 4], [2.5, 4]), { weight: 0, why: 'missed-twice', session: 2 }],
])('when %s', (_what, sets, advice) => {
  expect(overload(sets)).toEqual(advice)
  expect(overload(sets.toReversed())).toEqual(advice)
})
