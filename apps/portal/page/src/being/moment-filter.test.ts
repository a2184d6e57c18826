import { expect, it } from 'vitest'
import { ALL_MOMENTS, choicesIn, filterMoments, isFiltered } from './moment-filter.ts'

const lived = (n: number, fields: object = {}) => ({
  n,
  outcome: 'act' as const,
  primary: 'clerk',
  stacked: [] as string[],
  words: null,
  args: null as string | null,
  did: null,
  cost: null,
  ...fields,
})
const moments = [
  lived(4, { outcome: 'failure', message: 'may not refund' }),
  lived(3, { stacked: ['bored'], cost: { tokens: 500, attempts: 1, money: 0 } }),
  lived(2, { words: 'The order is shipped.', cost: { tokens: 1500, attempts: 1, money: 0 } }),
  lived(1, { did: { verb: 'do', operation: 'refund', target: '/desk' }, args: 'euros 18', primary: null }),
]

it.each([
  [{}, [4, 3, 2, 1]],
  [{ outcome: 'failure' }, [4]],
  [{ role: 'bored' }, [3]],
  [{ cost: '1000' }, [2]],
  [{ words: 'Refund' }, [4, 1]],
  [{ words: 'refund desk' }, [1]],
  [{ words: 'euros' }, [1]],
  [{ outcome: 'act', role: 'clerk', cost: '1' }, [3, 2]],
])('moments by %o are %j', (wanted, found) => {
  expect(filterMoments(moments, { ...ALL_MOMENTS, ...wanted }).map(({ n }) => n)).toEqual(found)
})

it('outcomes and roles of the moments are what one chooses from', () => {
  expect(choicesIn(moments)).toEqual({
    outcomes: [
      { value: 'failure', label: 'failed' },
      { value: 'act', label: 'acted' },
    ],
    roles: ['bored', 'clerk'],
  })
  expect([isFiltered(ALL_MOMENTS), isFiltered({ ...ALL_MOMENTS, words: 'a' })]).toEqual([false, true])
})
