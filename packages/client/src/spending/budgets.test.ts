import type { BeingRow, SpaceRow } from '@treeos/world'
import { expect, it } from 'vitest'
import { budgetView, NOTHING_USED } from './budgets.ts'

const being = (fields: object = {}) =>
  ({ name: 'ann', cognition: { kind: 'llm' }, ...fields }) as unknown as BeingRow
const root = { qualities: { 'standard-budget': {} } } as unknown as SpaceRow

it('a being with a budget of its own is shown its limits, and what was used since it began', () => {
  const used = { ...NOTHING_USED, total: { tokens: 7, micros: 2_000_000 }, minuteMoments: 3, lastMoments: 9 }
  expect(budgetView(being({ budget: { revision: 1, tokens: 100 } }), root, used, 2)).toEqual({
    being: 'ann',
    stance: '@ann',
    limits: { tokens: 100 },
    used: { tokens: 7, money: 2, moments: 3, births: 2 },
    held: { tokens: 0, money: 0 },
  })
})

it('a budget a day counts what was used this day', () => {
  const used = { ...NOTHING_USED, day: { tokens: 1, micros: 0 }, total: { tokens: 7, micros: 0 } }
  const view = budgetView(being({ budget: { revision: 1, tokens: 100, per: 'day' } }), root, used, 0)
  expect(view.used.tokens).toBe(1)
})

it('any other being is bounded by the standard budget, and says so; its moments are those of the last minute', () => {
  const view = budgetView(being(), null, { ...NOTHING_USED, minuteMoments: 3, lastMoments: 9 }, 0)
  expect(view).toMatchObject({ standard: true, used: { moments: 9 } })
  expect(view.limits.momentsPerMinute).toBeGreaterThan(0)
  expect(view.limits).not.toHaveProperty('tokensPerPerson') // what all beings of a person share
  expect(view.limits).not.toHaveProperty('revision')
})

it('calls whose cost never came back are shown apart, and are left out where there are none', () => {
  const own = being({ budget: { revision: 1, tokens: 100 } })
  expect(budgetView(own, null, NOTHING_USED, 0)).not.toHaveProperty('unsure')
  const unsure = { ...NOTHING_USED.unsure, total: { tokens: 5, micros: 0 } }
  expect(budgetView(own, null, { ...NOTHING_USED, unsure }, 0).unsure).toEqual({ tokens: 5, money: 0 })
})
