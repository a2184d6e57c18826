import { expect, it } from 'vitest'
import { isWorn } from './clause-result.ts'

it('the role of a clause was worn as primary or stacked, and by no other result', () => {
  const results = ['primary', 'stacked', 'shadowed', 'repeated', 'skipped', 'no-match', 'malformed'] as const
  expect(results.filter(isWorn)).toEqual(['primary', 'stacked'])
})
