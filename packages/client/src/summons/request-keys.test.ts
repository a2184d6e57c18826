import { expect, it } from 'vitest'
import { signedCorrelation } from './act-challenge.ts'
import { keyedCorrelation } from './request-keys.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const first = { as: 'ann', key: 'k', attempt: 0 }

it('the same being with the same key names the same act, and any other another one', () => {
  expect(keyedCorrelation({ ...first })).toBe(keyedCorrelation(first))
  const others = [
    { ...first, as: 'bob' },
    { ...first, key: 'l' },
    { ...first, attempt: 1 },
  ].map(keyedCorrelation)
  expect(new Set([keyedCorrelation(first), ...others]).size).toBe(4)
})

it('both kinds of correlations that follow from something have the form of a UUID made by a rule', () => {
  expect(keyedCorrelation(first)).toMatch(UUID)
  expect(signedCorrelation('00'.repeat(32))).toMatch(UUID)
})

it('one salt signs one act: the correlation follows from the salt', () => {
  expect(signedCorrelation('00')).toBe(signedCorrelation('00'))
  expect(signedCorrelation('00')).not.toBe(signedCorrelation('01'))
})
