import { expect, it } from 'vitest'
import { amountOf, moneyOf } from './money.ts'

it.each([
  [0, '0'],
  [0.0000042, '0.0000042'],
  [0.0031, '0.0031'],
  [12.34567, '12.3457'],
])('%d is shown as %s', (value, text) => {
  expect(amountOf(value)).toBe(text)
})

it.each([
  [0.75, 'EUR', '€0.75'],
  [0.0000042, 'USD', '$0.0000042'],
  [12.34567, 'USD', '$12.3457'],
  [3, 'JPY', '¥3'],
  [3, null, '3'],
])('%d in %s is shown as %s', (value, currency, text) => {
  expect(moneyOf(value, currency)).toBe(text)
})
