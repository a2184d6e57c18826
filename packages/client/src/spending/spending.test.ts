import type { LateMoment } from '@treeos/store'
import { expect, it } from 'vitest'
import { causesOf, talliesBy, talliesByDay, tallyOf } from './spending.ts'

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

it('days begin at midnight of the time zone that is asked for', () => {
  const moments = [lived({ sealedAt: Date.parse('2026-11-30T01:00:00Z') })]
  const dayIn = (timeZone: string) => talliesByDay(moments, timeZone)[0]?.name
  expect(['UTC', 'America/New_York'].map(dayIn)).toEqual(['2026-11-30', '2026-11-29'])
})

it('failures of one code and message are one cause, which counts them and names the newest', () => {
  const failed = (n: number, detail: string) =>
    lived({
      kind: 'failure',
      n,
      reason: 'FORBIDDEN',
      detail,
    } as Partial<LateMoment>)
  const causes = causesOf([failed(5, 'no'), lived({}), failed(4, 'never'), failed(2, 'no')])
  expect(causes.map(({ message, count, newest }) => [message, count, newest.n])).toEqual([
    ['no', 2, 5],
    ['never', 1, 4],
  ])
})
