import type { FactDraft } from '@treeos/core'
import { expect, it } from 'vitest'
import { born, MemoryWorld } from '../../test/memory-world.ts'
import { genesisFacts } from '../index.ts'
import { maySee, requireSight } from './sight.ts'

const NONE = { canSee: [], canDo: [], canSummon: [], canBe: [] }

it('a being may always see itself, and no other, whatever lists, ceilings and rules say', async () => {
  const hidden: FactDraft = {
    reel: 'space:/',
    kind: 'quality:set',
    payload: { path: ['permissions'], value: { see: { '*': { requires: [] } } }, merge: false },
  }
  const ceiling = { canSee: [], canDo: [], canSummon: [], canBe: [] }
  const world = new MemoryWorld([
    ...genesisFacts(),
    hidden,
    born('ann', 'operator', { ceiling }),
    born('bo', 'operator'),
  ])
  const seer = { world: world.reader(), me: world.being('ann'), surface: NONE }
  const of = (name: string) => ({ kind: 'being', being: world.being(name) }) as const
  expect(await maySee(seer, of('ann'))).toBe(true)
  expect(await maySee(seer, of('bo'))).toBe(false)
  expect(await maySee(seer, { kind: 'space', space: world.space('/') })).toBe(false)
  await expect(requireSight(seer, of('bo'))).rejects.toMatchObject({ code: 'FORBIDDEN' })
})
