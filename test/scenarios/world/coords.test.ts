import { see } from '@treeos/client'
import { canonicalJson, type Json, type JsonObject } from '@treeos/core'
import { readRows, refold } from '@treeos/store'
import { FOLD } from '@treeos/world'
import { beforeAll, describe, expect, it } from 'vitest'
import { createSpace, doAs, groundOf, play } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'
import { useWorld } from '../../support/use-world.ts'

const at = (x: number, y: number, z = 0) => ({ x, y, z })

describe('a space with a size', () => {
  const world = useWorld({ extensions: [stage] })
  beforeAll(async () => {
    await createSpace(world, '/garden')
    await doAs(world, 'create-space', '/', { path: '/hall', size: at(4, 3, 1) })
    await doAs(world, 'create-space', '/hall', { path: '/hall/nook', size: at(1, 1, 1), coord: at(3, 2) })
    await world.birthPuppet('ann', { home: '/garden' })
    await doAs(world, 'set-space', '/hall', { field: 'permissions.do.take', value: true })
  })

  const does = (operation: string, target: string, args: JsonObject = {}) =>
    play(world, 'ann', { verb: 'do', operation, target, args })
  const where = async (address: string) => {
    const { address: found, coord } = await see(world, 'operator', address)
    return [found.path, coord]
  }

  it('shows it, and where it is in the space around it', async () => {
    expect(await see(world, 'operator', '/hall')).toMatchObject({ size: at(4, 3, 1) })
    expect(await see(world, 'operator', '/hall/nook')).toMatchObject({ size: at(1, 1, 1), coord: at(3, 2) })
    expect(await see(world, 'operator', '/garden')).not.toHaveProperty('size')
  })

  it('has beings at a coord, which they keep until they move or go elsewhere', async () => {
    expect(await does('move', '/hall', { coord: at(0, 0) })).toMatchObject({ outcome: 'act' })
    expect(await where('@ann')).toEqual(['/hall', at(0, 0)])
    expect(await does('move', '/hall', { coord: at(3, 2) })).toMatchObject({ outcome: 'act' })
    expect(await where('@ann')).toEqual(['/hall', at(3, 2)])
    for (const args of [{}, { coord: at(3, 2) }] as JsonObject[])
      expect(await does('move', '/hall', args)).toMatchObject({ reason: 'RESOURCE_CONFLICT' })
    await does('move', '/garden')
    expect(await where('@ann')).toEqual(['/garden', undefined])
    await does('move', '/hall')
    expect(await where('@ann')).toEqual(['/hall', undefined])
  })

  it('has things at a coord, until they are taken', async () => {
    await doAs(world, 'create-matter', '/hall', { id: 'lamp', coord: at(1, 1) })
    expect(await where('matter:lamp')).toEqual(['/hall', at(1, 1)])
    expect(await does('take', 'matter:lamp')).toMatchObject({ outcome: 'act' })
    expect(await where('matter:lamp')).toEqual(['/hall', undefined])
    expect(await does('put', 'matter:lamp', { coord: at(4, 0) })).toMatchObject({ reason: 'INVALID_INPUT' })
    expect(await does('put', 'matter:lamp', { coord: at(3, 0) })).toMatchObject({ outcome: 'act' })
    expect(await where('matter:lamp')).toEqual(['/hall', at(3, 0)])
  })

  it.each<[string, string, JsonObject, string]>([
    [
      'move',
      '/hall',
      { coord: at(4, 0) },
      'move: coord is {"x":4,"y":0,"z":0}; it takes whole numbers within /hall: x from 0 to 3',
    ],
    ['move', '/garden', { coord: at(0, 0) }, 'it takes none: /garden has no size'],
    ['create-matter', '/hall', { id: 'x', coord: at(0, 3) }, 'y from 0 to 2'],
    ['create-space', '/hall', { path: '/hall/out', coord: at(0, 0, 1) }, 'z from 0 to 0'],
    ['create-space', '/', { path: '/flat', size: at(1, 0, 1) }, 'whole numbers from 1 to 65536'],
    ['set-size', '/hall', { size: 9 }, 'whole numbers from 1 to 65536'],
    ['set-size', '/hall', {}, 'size is missing'],
  ])('%s on %s with %j is refused, never mended', async (action, target, args, says) => {
    const before = await groundOf(world)
    await expect(doAs(world, action, target, args)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(says),
    })
    expect(await groundOf(world)).toEqual(before)
  })

  it('is resized by its owner, as long as nothing comes to lie outside', async () => {
    const resize = (size: Json, target = '/hall') => doAs(world, 'set-size', target, { size })
    await expect(resize(at(3, 3, 1))).rejects.toMatchObject({
      code: 'RESOURCE_CONFLICT',
      message: expect.stringContaining('would leave matter:lamp outside'),
    })
    await expect(resize(null)).rejects.toMatchObject({ code: 'RESOURCE_CONFLICT' })
    await resize(at(9, 9, 9))
    expect(await does('move', '/hall', { coord: at(8, 8, 8) })).toMatchObject({ outcome: 'act' })
    await expect(resize(at(8, 9, 9))).rejects.toMatchObject({ message: expect.stringContaining('@ann') })
    await resize(at(1, 2, 3), '/garden')
    await resize(null, '/garden')
    expect(await see(world, 'operator', '/garden')).not.toHaveProperty('size')
  })

  it('is a row that its reel gives back to the byte, as are those in it; all replays', async () => {
    const keys = ['space:/hall', 'space:/hall/nook', 'space:/garden', 'being:ann', 'matter:lamp']
    for (const { key, state } of await readRows(world.db, world.reality.id, keys)) {
      const folded = await refold(world.db, key, FOLD)
      expect(canonicalJson(folded.get(key)?.state as unknown as JsonObject)).toBe(canonicalJson(state))
    }
    await expectUnbroken(world)
    await expectReplays(world)
  })
})
