import type { OpenReality } from '@treeos/reality'
import type { Lease } from '@treeos/store'
import { expect, it, vi } from 'vitest'
import { releaseLapsed } from './lapsed-leases.ts'

const names = Array.from({ length: 250 }, (_, i) => `kid-${String(i).padStart(3, '0')}`)
const isStuck = (being: string) => being < 'kid-120'

vi.mock('@treeos/store', () => ({
  listLapsedLeases: async (_db: unknown, limit: number, after: string): Promise<Lease[]> =>
    names
      .filter((being) => being > after)
      .slice(0, limit)
      .map((being) => ({ being, driver: 'ann', epoch: 1, under: null })),
}))
vi.mock('@treeos/reality', () => ({
  readerOf: () => ({
    async being(name: string) {
      if (isStuck(name)) throw new Error(`${name} cannot be read`)
      return { name, inhabited: { by: 'ann', epoch: 1 } }
    },
  }),
  appendSystemFacts: async () => true,
}))

it('reports each lease that cannot be released, and releases all the others', async () => {
  const errors: string[] = []
  const freed = await releaseLapsed({} as OpenReality, (error) => errors.push((error as Error).message))
  expect(freed).toEqual(names.filter((name) => !isStuck(name)))
  expect(errors).toEqual(names.filter(isStuck).map((name) => `${name} cannot be read`))
})
