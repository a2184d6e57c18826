import { mendedBy, TreeosError, unknownRole } from '@treeos/core'
import { expect, it } from 'vitest'
import { failureOf } from './failure.ts'

it.each([
  {
    error: new TreeosError('LLM_FAILED', '@ann gave no answer, its moment failed: model answered 422'),
    remedy: '; `treeos doctor` makes a small call to the model, and shows what its server says',
  },
  {
    error: new TreeosError('ACTION_NOT_SUPPORTED', 'no action "tkae" is registered. Did you mean take?'),
    remedy: ' `treeos operations` lists them',
  },
  { error: unknownRole('court:x'), remedy: '; `treeos role list` shows what is' },
  {
    error: new TreeosError('TIMEOUT', 'it goes on', mendedBy({ name: 'look-at-moments', of: '@ann' })),
    remedy: '; `treeos moments @ann` shows it',
  },
  {
    error: new TreeosError(
      'FORBIDDEN',
      'not granted',
      mendedBy({ name: 'explain-moment', of: '@ann', n: 3 }),
    ),
    remedy: '; `treeos explain @ann 3` says why',
  },
  { error: new TreeosError('INVALID_INPUT', 'model answered 400'), remedy: '' },
])('$error.message is told with its remedy "$remedy"', ({ error, remedy }) => {
  expect(failureOf(error)).toEqual({ ...error.toJSON(), message: `${error.message}${remedy}` })
})
