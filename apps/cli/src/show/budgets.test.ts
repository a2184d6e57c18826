import type { BudgetView } from '@treeos/client'
import { expect, it } from 'vitest'
import { programName } from '../text/program-name.ts'
import { shownBudgets } from './world.ts'

const coach: BudgetView = {
  being: 'coach',
  stance: '@coach',
  limits: { tokens: 200_000, per: 'day' },
  used: { tokens: 9000, money: 0, moments: 2, births: 0 },
  held: { tokens: 0, money: 0 },
}

it('a budget says what counts for calls whose cost never came back, and how that is given back', () => {
  expect(shownBudgets([coach])).toMatch(/^@coach +2 of any +9000 of 200000 .*day$/m)
  expect(shownBudgets([coach])).not.toContain('release')
  expect(
    shownBudgets([{ ...coach, unsure: { tokens: 8785, money: 0 } }])
      .split('\n')
      .at(-1),
  ).toBe(
    `@coach: 8785 tokens count for model calls whose cost never came back; \`${programName()} budget release @coach\` gives them back`,
  )
})
