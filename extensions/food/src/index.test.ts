import { expect, it } from 'vitest'
import { totals } from './index.ts'

const ate = (food: string, kcal: number) => ({ food, kcal })

it('each day comes to the sum of what was eaten, the newest first', () => {
  expect(
    totals({
      '2026-11-21': [ate('porridge', 350), ate('soup', 480)],
      '2026-12-01': [ate('water', 0)],
      '2026-11-22': [],
    }),
  ).toEqual([
    { day: '2026-12-01', entries: 1, kcal: 0 },
    { day: '2026-11-22', entries: 0, kcal: 0 },
    { day: '2026-11-21', entries: 2, kcal: 830 },
  ])
  expect(totals({})).toEqual([])
})
