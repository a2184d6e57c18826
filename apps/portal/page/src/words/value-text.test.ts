import { expect, it } from 'vitest'
import { valueText } from './value-text.ts'

it.each([
  ['a value', 'dim', undefined, '"dim"'],
  ['none', undefined, undefined, 'missing'],
  ['one that the reader may not see', undefined, 'reader', 'hidden from you'],
  ['one that the being may not see', undefined, 'being', 'hidden from the being'],
] as const)('%s reads as that', (_what, value, hidden, text) => {
  expect(valueText(value, hidden)).toBe(text)
})
