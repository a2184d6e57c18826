import type { LateMoment } from '@treeos/store'
import { expect, it } from 'vitest'
import { talliesBy, tallyOf } from './spending.ts'

const lived = (fields: Partial<LateMoment>) =>
  ({ kind: 'act', openedAt: 0, sealedAt: 0, tokens: 0, money: 0, model: null, ...fields }) as LateMoment
const took = (ms: number) => lived({ sealedAt: ms })

it('a tally adds up what moments cost, and counts the failures among them', () => {
  const moments = [
    lived({ tokens: 10, money: 0.5 }),
    lived({ tokens: 5, money: 0.25, kind: 'failure' }),
    lived({ kind: 'skipped' }),
  ]
  expect(tallyOf(moments)).toMatchObject({ moments: 3, failures: 1, tokens: 15, money: 0.75 })
})

it('half of the moments took at most p50 seconds, and all but one in twenty at most p95', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => took((i + 1) * 1000))
  expect(tallyOf(hundred.toReversed()).seconds).toEqual({ p50: 51, p95: 96 })
  expect(tallyOf([took(2000)]).seconds).toEqual({ p50: 2, p95: 2 })
})

it('a moment that was never opened took no time, and none at all have no times', () => {
  expect(tallyOf([lived({ openedAt: null })]).seconds).toBeNull()
  expect(tallyOf([])).toEqual({ moments: 0, failures: 0, tokens: 0, money: 0, seconds: null })
})

it('tallies come by name, the dearest first, then the busiest', () => {
  const moments = [
    lived({ model: 'small' }),
    lived({ model: 'small' }),
    lived({ model: null }),
    lived({ model: 'large', money: 1 }),
  ]
  expect(talliesBy(moments, ({ model }) => model).map(({ name, moments }) => [name, moments])).toEqual([
    ['large', 1],
    ['small', 2],
    [null, 1],
  ])
})
