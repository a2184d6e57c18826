import { expect, it } from 'vitest'
import { CLOCK_SECONDS, clockOf } from './clock.ts'

const at = new Date(2026, 10, 30, 17, 5, 9)

it('a time of today is its hour by 24 hours, one of another day has its day', () => {
  expect(clockOf(at, undefined, new Date(2026, 10, 30, 23))).toBe('17:05')
  expect(clockOf(at, CLOCK_SECONDS, new Date(2026, 10, 30, 23))).toBe('17:05:09')
  expect(clockOf(at, undefined, new Date(2026, 11, 1))).toBe('Nov 30, 17:05')
})
