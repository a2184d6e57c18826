import { expect, it } from 'vitest'
import { TreeosError } from './error.ts'
import { unknownBeing, unknownNameIn, unknownRole } from './unknown-name.ts'

it('reads the name out of the refusals that say that nothing has it', () => {
  expect(unknownNameIn(unknownBeing('ann'))).toEqual({ of: 'being', name: 'ann' })
  expect(unknownNameIn(unknownRole('court:judge'))).toEqual({ of: 'role', name: 'court:judge' })
})

it.each([
  new TreeosError('FORBIDDEN', unknownBeing('ann').message),
  new TreeosError('BEING_NOT_FOUND', `${unknownBeing('ann').message}. Did you mean @anna?`),
  new TreeosError('BEING_NOT_FOUND', 'no being is public at this address'),
])('reads none of any other: %s', (error) => expect(unknownNameIn(error)).toBeNull())
