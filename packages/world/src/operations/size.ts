import { asJson, matterReel, spaceReel, stanceOf, TreeosError } from '@treeos/core'
import type { DecidedOperation } from '../extend/extension.ts'
import type { WorldReader } from '../read/reader.ts'
import { beingKey, type Coord, matterKey, spaceKey } from '../rows/rows.ts'
import { needed } from './argument-forms.ts'
import { defineBuiltIn } from './define-built-in.ts'
import { requireInside, SIZE, SIZE_RIGHT, sizeIn } from './extent.ts'

const setSize = defineBuiltIn({
  name: 'set-size',
  wordless: true,
  description: 'Says how far the target space reaches; null takes its size away.',
  targets: ['space'],
  allow: ['owner', 'operator'],
  takes: {
    size: needed({ anyOf: [SIZE, { type: 'null' }] }, '{x, y, z}, whole numbers from 1; or null', {
      right: `${SIZE_RIGHT}, or null`,
    }),
  },
  async decide({ target, world }, given): Promise<DecidedOperation> {
    if (target.kind !== 'space') throw new TreeosError('INVALID_TYPE', 'set-size takes a space')
    const { path } = target.space
    const { size = null } = sizeIn(given)
    requireInside(path, size, await placedIn(world, path))
    const payload = { size: asJson(size) }
    return {
      facts: [{ reel: spaceReel(path), kind: 'space:resized', payload }],
      result: { path, ...payload },
    }
  },
})

/**
 * Everything in a space that can have a coord. Arrivals change the space's reel, moves inside it the reel of
 * what moves.
 */
async function placedIn(
  world: WorldReader,
  path: string,
): Promise<{ name: string; coord: Coord | undefined }[]> {
  const [beings, matters, spaces] = [
    await world.occupants(path),
    await world.matters(path),
    await world.childSpaces(path),
  ]
  await world.prefetch([...beings.map(beingKey), ...matters.map(matterKey), ...spaces.map(spaceKey)])
  const placed: { name: string; coord: Coord | undefined }[] = []
  for (const name of beings) placed.push({ name: stanceOf(name), coord: (await world.being(name))?.coord })
  for (const id of matters) placed.push({ name: matterReel(id), coord: (await world.matter(id))?.coord })
  for (const inner of spaces) placed.push({ name: inner, coord: (await world.space(inner))?.coord })
  return placed
}

export const sizeOperations = [setSize] as const
