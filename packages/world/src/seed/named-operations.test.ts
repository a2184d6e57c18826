import { expect, it } from 'vitest'
import { ENDERS, WRITERS } from '../extend/owned-qualities.ts'
import { OWNERS_OWN } from '../gates/placed-rules.ts'
import { seed } from './substrate-extension.ts'

/** These stand below the operations, so no type can say that there is such an operation. */
it('names operations that there are', () => {
  const named = [...OWNERS_OWN, ...ENDERS, ...Object.values(WRITERS).flat()]
  const known = seed.operations?.map(({ name }) => name)
  expect(named.filter((name) => known?.includes(name) !== true)).toEqual([])
})
