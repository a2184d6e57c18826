import { parseCall } from '@treeos/core'
import type { ApprovalRow } from '@treeos/world'
import { expect, it } from 'vitest'
import { countsOver, doneBefore } from './proposals.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const approved = (at: number, args: object): Pick<ApprovalRow, 'at' | 'call'> => ({
  at,
  call: parseCall({ verb: 'do', action: 'pay', target: '/', args }) as ApprovalRow['call'],
})

it('a rule that asks less bounds a day by the average, and each number by the highest that was approved', () => {
  const rows = [0, 1, 2, 3].map((day) => approved(day * DAY, { amount: 10 * (day + 1) }))
  expect(countsOver(rows)).toEqual([
    { most: 2, per: ['being'], within: 86_400 },
    { each: 'amount', most: 40 },
  ])
})

it('calls of one hour are the bound of a day, and not more', () => {
  const rows = [0, 1, 2].map((minute) => approved(minute * 60_000, {}))
  expect(countsOver(rows)[0]).toMatchObject({ most: 3 })
})

it('an argument is bounded only where each call had a number there that is not negative', () => {
  const rows = [approved(0, { a: 1, b: 1, c: 1 }), approved(HOUR, { a: 2, b: 'x', c: -1 })]
  expect(countsOver(rows).map(({ each }) => each)).toEqual([undefined, 'a'])
})

it('an equal call that was approved before is named, the newest first, and none that was denied or is another', () => {
  const answer = (n: number, args: object, isYes = true) => ({
    row: { id: `kid/1/${n}` as ApprovalRow['id'], ...approved(n, args) },
    isYes,
  })
  const answers = [
    answer(1, { euros: 18 }),
    answer(2, { euros: 19 }),
    answer(3, { euros: 18 }, false),
    answer(4, { euros: 18 }),
    answer(5, { euros: 18 }),
    answer(6, { euros: 18 }),
  ]
  const call = { target: '/', verb: 'do', operation: 'pay', args: { euros: 18 } }
  expect(doneBefore({ call }, answers).map(({ id }) => id)).toEqual(['kid/1/6', 'kid/1/5', 'kid/1/4'])
  expect(doneBefore({ call: { ...call, target: '/shop' } }, answers)).toEqual([])
})
