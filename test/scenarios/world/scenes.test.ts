import { act, plantChangedScene, plantScene } from '@treeos/client'
import type { VerbCall } from '@treeos/core'
import { readerOf } from '@treeos/reality'
import { expect, it } from 'vitest'
import { createSpace, doAs, rowOf, setRole } from '../../support/life.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld()
const guard = (name: string): VerbCall => ({
  verb: 'be',
  operation: 'birth',
  args: { name, cognition: 'scripted', script: 'echo' },
})
const yard = (path: string): VerbCall => ({
  verb: 'do',
  operation: 'create-space',
  target: '/',
  args: { path },
})

it('a scene is planted once', async () => {
  const told: string[] = []
  const watch = { name: 'watch', scene: [yard('/watch'), guard('guard')] }
  expect(await plantScene(world, watch, (line) => told.push(line))).toBe(true)
  expect(told).toEqual(['planting watch: 1 of 2', 'planting watch: 2 of 2'])
  expect(await rowOf(world, 'guard')).toMatchObject({ parent: 'operator' })
  expect(await plantScene(world, watch)).toBe(false)
})

it('a scene whose names are taken is refused with all of them, and nothing of it is planted', async () => {
  await createSpace(world, '/yard')
  const scene = [guard('sentry'), yard('/yard'), guard('echo')]
  await expect(plantScene(world, { name: 'patrol', scene })).rejects.toMatchObject({
    code: 'RESOURCE_CONFLICT',
    message: 'the scene patrol makes /yard, @echo, which are there already; nothing was planted',
    detail: { taken: ['/yard', '@echo'] },
  })
  expect((await rowOf(world, 'sentry')) ?? null).toBeNull()
})

it('an interrupted scene is completed by the next call, which skips what is there', async () => {
  await doAs(world, 'set-space', '/', { field: 'scene.ward', value: 'begun' })
  await createSpace(world, '/ward')
  const kept: string[] = []
  const ward = { name: 'ward', scene: [yard('/ward'), guard('warden')] }
  expect(await plantScene(world, ward, undefined, (why) => kept.push(why))).toBe(true)
  expect(kept).toEqual(['space /ward is already there'])
  expect(await rowOf(world, 'warden')).toMatchObject({ parent: 'operator' })
})

it('a scene that has changed is planted again: what is there stays, what is new comes, and nothing goes', async () => {
  const fair = (...scene: VerbCall[]) => ({ name: 'fair', scene })
  const first = fair(yard('/fair'), guard('crier'))
  const changed = fair(yard('/fair'), guard('juggler'))
  expect(await plantChangedScene(world, first)).toBe(true)
  expect(await plantChangedScene(world, first), 'it has not changed').toBe(false)
  expect(await plantScene(world, changed), 'it was planted before').toBe(false)
  const kept: string[] = []
  expect(await plantChangedScene(world, changed, undefined, (why) => kept.push(why))).toBe(true)
  expect(kept).toEqual(['space /fair is already there'])
  expect(await rowOf(world, 'juggler')).toMatchObject({ parent: 'operator' })
  expect(await rowOf(world, 'crier')).toMatchObject({ parent: 'operator' })
  expect(await plantChangedScene(world, changed)).toBe(false)
})

it('a scene that has changed does nothing to what others have made under its names', async () => {
  const any = [{ pattern: '*' }]
  const maker = { name: 'maker', canSee: any, canDo: any, canSummon: any, canBe: any, prompt: '' }
  await setRole(world, maker)
  await world.birth({ name: 'ann', cognition: 'human', role: 'maker' })
  const park = (...scene: VerbCall[]) => ({ name: 'park', scene: [yard('/park'), ...scene] })
  await plantChangedScene(world, park())
  await act({ ...world, person: 'ann' }, 'ann', guard('keeper'))
  const trusted = {
    verb: 'do',
    operation: 'add-contributor',
    target: '/park',
    args: { being: '@keeper' },
  } as const
  await expect(
    plantChangedScene(world, park(guard('porter'), guard('keeper'), trusted)),
  ).rejects.toMatchObject({
    code: 'RESOURCE_CONFLICT',
    message:
      'the scene park makes @keeper, which is there already, made by somebody else: no more of it was planted',
  })
  expect((await rowOf(world, 'porter')) ?? null).toBeNull()
  expect((await readerOf(world).space('/park'))?.contributors ?? []).toEqual([])
  expect(await plantChangedScene(world, park(guard('porter')))).toBe(true)
})
