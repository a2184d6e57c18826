import { TreeosError } from '@treeos/core'
import { expect, it } from 'vitest'
import { failureOf } from './failure.ts'

it.each([
  { code: 'LLM_FAILED', message: 'model answered 400: check TREEOS_MODEL', pointed: true },
  {
    code: 'LLM_FAILED',
    message: '@ann gave no answer, its moment failed: model answered 422',
    pointed: true,
  },
  { code: 'LLM_FAILED', message: 'model answered with an error inside (503)', pointed: true },
  { code: 'LLM_FAILED', message: 'connection to the model failed (ECONNREFUSED)', pointed: false },
  { code: 'INVALID_INPUT', message: 'model answered 400', pointed: false },
] as const)('"$message" as $code points to what the server says: $pointed', ({ code, message, pointed }) => {
  const told = failureOf(new TreeosError(code, message)).message
  expect(told.startsWith(message)).toBe(true)
  expect(
    told.endsWith('; `treeos doctor` makes a small call to the model, and shows what its server says'),
  ).toBe(pointed)
})
