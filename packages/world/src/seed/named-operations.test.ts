import { expect, it } from 'vitest'
import { ENDERS, WRITERS } from '../extend/owned-qualities.ts'
import { OWNERS_OWN } from '../gates/placed-rules.ts'
import { seed } from './substrate-extension.ts'

/** The modules that name them may not import the operations, so a test checks the names and no type does. */
it('names operations that there are', () => {
  const named = [...OWNERS_OWN, ...ENDERS, ...Object.values(WRITERS).flat()]
  const known = seed.operations?.map(({ name }) => name)
  expect(named.filter((name) => known?.includes(name) !== true)).toEqual([])
})
