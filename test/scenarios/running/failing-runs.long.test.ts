/** Runs whose workflow tasks fail again and again are told by a real server, and only those. */
import { listFailingRuns } from '@treeos/host'
import { beingWorkflowId, REALITY } from '@treeos/protocol'
import { expect, it } from 'vitest'
import { until } from '../../support/life.ts'
import { useWorld } from '../../support/use-world.ts'

const world = useWorld({})

it('a run of a type that no worker has is told with its cause, and none is while all live', async () => {
  const { name, taskQueue } = world.reality
  expect(await listFailingRuns(world.temporal, name)).toEqual([])
  const workflowId = beingWorkflowId(name, 'stranger')
  const run = await world.temporal.workflow.start('nobodyHasThis', {
    taskQueue,
    workflowId,
    typedSearchAttributes: [{ key: REALITY, value: name }],
  })
  const told = await until(
    async () => {
      const found = await listFailingRuns(world.temporal, name)
      return found !== null && found.length > 0 && found
    },
    { seconds: 110 },
  )
  expect(told).toMatchObject([{ workflowId }])
  expect(told[0]?.causes.length).toBeGreaterThan(0)
  await run.terminate('the test is over')
}, 120_000)
