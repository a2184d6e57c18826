import { expect, it } from 'vitest'
import { durationOf } from './duration.ts'

it.each([
  [-3, '0 ms'],
  [12.4, '12 ms'],
  [400, '400 ms'],
  [1234, '1.2 s'],
  [9960, '10 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [125_000, '2 min 5 s'],
  [1_800_000, '30 min'],
  [5 * 3_600_000, '5 h'],
  [72 * 3_600_000, '3 days'],
])('%d ms are %s', (ms, words) => {
  expect(durationOf(ms)).toBe(words)
})
