import { expect, it } from 'vitest'
import { shortName } from './short.ts'

it('names that differ at their ends stay different', () => {
  expect(shortName('@kid', 8)).toBe('@kid')
  const [one, other] = ['@clerk-of-the-court-1', '@clerk-of-the-court-2'].map((name) => shortName(name, 12))
  expect(one).toBe('@clerk…urt-1')
  expect(other).not.toBe(one)
})

it('no sign is cut in two', () => {
  expect(shortName('👩‍🚀'.repeat(9), 5).isWellFormed()).toBe(true)
})
