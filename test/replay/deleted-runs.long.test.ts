import { beingWorkflowId } from '@treeos/protocol'
import { replay } from '@treeos/replay'
import { expect, it } from 'vitest'
import { live, until } from '../support/life.ts'
import { openReplayer } from '../support/replays.ts'
import { useWorld } from '../support/use-world.ts'

const HOUR_MS = 3_600_000
const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString()

/** Longer ago than the 90 days for which the Temporal of the tests keeps closed runs. */
const world = useWorld({ clock: ago(24 * 100) })

const replayed = async () =>
  replay(world, { beings: ['echo', 'operator'], from: 'both', replayer: await openReplayer() })

async function deleteRun(being: string): Promise<void> {
  const workflowId = beingWorkflowId(world.reality.name, being)
  const handle = world.temporal.workflow.getHandle(workflowId)
  const { runId } = await handle.describe()
  await handle.terminate('its retention is over')
  const { namespace } = world.temporal.options
  await world.temporal.workflowService.deleteWorkflowExecution({
    namespace,
    workflowExecution: { workflowId, runId },
  })
  await until(() =>
    world.temporal.workflow
      .getHandle(workflowId, runId)
      .describe()
      .then(
        () => false,
        () => true,
      ),
  )
}

it('what Temporal deleted after its retention is not attested any more, and no difference', async () => {
  for (const words of ['one', 'two']) await live(world, 'echo', words)
  expect(await replayed()).toMatchObject({ identical: true })
  await deleteRun('echo')
  expect(await replayed()).toMatchObject({ identical: true, mismatches: [], deleted: 2 })
  await live(world, 'echo', 'a new life')
  const { deleted, identical, mismatches } = await replayed()
  expect(mismatches).toEqual([])
  expect({ deleted, identical }).toEqual({ deleted: 2, identical: true })
})

it('but a run that is younger than the retention was taken away', async () => {
  await world.setClock(ago(1))
  await live(world, 'echo', 'of this day')
  await deleteRun('echo')
  const { identical, mismatches, deleted } = await replayed()
  expect({ identical, deleted }).toEqual({ identical: false, deleted: 3 })
  expect(mismatches).toEqual([expect.objectContaining({ being: 'echo', field: 'history' })])
})
