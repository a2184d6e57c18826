/** A worker that has workflows of its own beside beings. */

import { join } from 'node:path'
import { bundleWorkflowCode } from '@temporalio/worker'
import { taskQueueOf } from '@treeos/core'
import { treeos } from '@treeos/host'
import { expect, it } from 'vitest'
import { live } from '../../support/life.ts'
import { expectReplays } from '../../support/replays.ts'
import { startWorld } from '../../support/world.ts'

const workflowsPath = join(import.meta.dirname, '../../support/host.workflow.ts')
const logger = Object.fromEntries(
  ['log', 'trace', 'debug', 'info', 'warn', 'error'].map((name) => [name, () => undefined]),
) as never

it('runs both, also where the host exports none of ours, and bounds payloads of ours alone', async () => {
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, plugins: [treeos()], logger })
  const world = await startWorld({ worker: { workflowBundle } })
  const taskQueue = taskQueueOf(world.reality.name)
  const run = (type: string, args: unknown[] = []) =>
    world.temporal.workflow.execute(type, { taskQueue, args, workflowId: `${type}-${world.reality.name}` })
  expect(await run('lengthyWorkflow', [300_000])).toHaveLength(300_000)
  expect(await run('taskWorkflow')).toBe('the task of the host')
  await world.birth({ name: 'parrot', cognition: 'scripted', script: 'echo' })
  expect(await live(world, 'parrot', 'hello')).toMatchObject({ outcome: 'act' })
  await expectReplays(world)
  await world.close()
})

it('says at its start that its bundle was made without ours', async () => {
  const others = { code: 'exports.lengthyWorkflow = () => 1' }
  await expect(startWorld({ worker: { workflowBundle: others } })).rejects.toThrow(
    /lacks treeosBeing, treeosSchedule, treeosTask, treeosCall: make it with `bundleWorkflowCode/,
  )
})
