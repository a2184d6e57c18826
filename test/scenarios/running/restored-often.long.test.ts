import { expect, it } from 'vitest'
import { newSeed } from '../../faults/random.ts'
import { expectKeysOfTheirOwn, restoreOften } from '../../support/restores.ts'

it('fifty restores from random instants use no key for two acts', { timeout: 1_200_000 }, async () => {
  const seed = newSeed()
  const restored = await restoreOften(50, seed)
  console.log(`seed ${seed}: ${restored.acts.length} acts, ${restored.received.size} keys were received`)
  expectKeysOfTheirOwn(restored)
  expect(restored.sameIds).toBeGreaterThan(0) // a control: ids of moments alone would not tell them apart
})
