import { expect, it } from 'vitest'
import { byName } from './by-name.ts'

it('names are ordered by the numbers in them', () => {
  expect(['@clerk-10', '@clerk-2', '@ada', '@clerk-1'].sort(byName)).toEqual([
    '@ada',
    '@clerk-1',
    '@clerk-2',
    '@clerk-10',
  ])
})
