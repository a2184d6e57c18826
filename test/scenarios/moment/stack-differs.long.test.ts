/** The same difference as in stack-differs.test.ts where the workflow is wrong, and not its worker. */
import { STACK_DIFFERS } from '@treeos/protocol'
import { listDifferingStacks } from '@treeos/store'
import { describe, expect, it } from 'vitest'
import { momentOf, wakeUp } from '../../support/life.ts'
import { stacklessVersion } from '../../support/other-versions.ts'
import { useWorld } from '../../support/use-world.ts'
import { bearMoody, failureOf, replayOf } from './moody-scene.ts'

describe('workflow code that evaluates flows wrongly', { timeout: 180_000 }, () => {
  const world = useWorld()

  it('fails its run by name, and once the code is put back, the being goes on with what waits', async () => {
    await bearMoody(world)
    await world.stopWorker()
    const stopWrong = await world.startWorker([], (await stacklessVersion()).worker)
    await wakeUp(world, 'moody', ['one'])
    expect(await failureOf(world, 1)).toMatchObject({ type: STACK_DIFFERS })
    expect(await listDifferingStacks(world.db)).toMatchObject([{ moment: 'moody/1/1' }])
    await stopWrong()
    await world.startWorker()
    const [wake = ''] = await wakeUp(world, 'moody', ['two'])
    expect(await momentOf(world, wake)).toMatchObject({ n: 2 })
    expect(await listDifferingStacks(world.db)).toEqual([])
    expect(await replayOf(world, 'chain')).toEqual([])
    expect(await replayOf(world, 'temporal')).toContainEqual(
      expect.objectContaining({ n: 1, field: 'determinism' }),
    )
  })
})
