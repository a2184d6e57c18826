import { expect, it } from 'vitest'
import { amountOf } from './money.ts'

it.each([
  [0, '0'],
  [0.0000042, '0.0000042'],
  [0.0031, '0.0031'],
  [12.34567, '12.3457'],
])('%d is shown as %s', (value, text) => {
  expect(amountOf(value)).toBe(text)
})
