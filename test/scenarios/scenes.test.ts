import { plantScene } from '@treeos/client'
import type { VerbCall } from '@treeos/core'
import { expect, it } from 'vitest'
import { createSpace, rowOf } from '../support/life.ts'
import { startWorld } from '../support/world.ts'

const scene: VerbCall[] = [
  { verb: 'do', action: 'create-space', target: '/', args: { path: 'yard' } },
  { verb: 'be', operation: 'birth', payload: { name: 'guard', cognition: 'scripted', script: 'echo' } },
]

it('a scene leaves what it finds in its place, says so, and is planted once', async () => {
  const world = await startWorld()
  try {
    await createSpace(world, '/yard')
    const [told, kept] = [[], []] as [string[], string[]]
    const plant = () =>
      plantScene(
        world,
        { name: 'watch', scene },
        (line) => told.push(line),
        (why) => kept.push(why),
      )
    expect(await plant()).toBe(true)
    expect(told).toEqual(['planting watch: 1 of 2', 'planting watch: 2 of 2'])
    expect(kept).toEqual(['space /yard is already there'])
    expect(await rowOf(world, 'guard')).toMatchObject({ parent: 'operator' })
    expect(await plant()).toBe(false)
    expect(kept).toHaveLength(1)
  } finally {
    await world.close()
  }
})
