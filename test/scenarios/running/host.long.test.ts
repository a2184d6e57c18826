/** A worker whose bundle had a workflow of the host in the place of one of ours. */
import { join } from 'node:path'
import { bundleWorkflowCode } from '@temporalio/worker'
import { defineExtension, defineOperation } from '@treeos/sdk'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { live } from '../../support/life.ts'
import { stage } from '../../support/puppet.ts'
import { expectReplays } from '../../support/replays.ts'
import { startWorld } from '../../support/world.ts'

let counted = 0
const counting = defineExtension({
  name: 'counting',
  version: '1.0.0',
  operations: [
    defineOperation({
      name: 'counting:count',
      description: 'Counts.',
      on: 'space',
      allow: ['anyone'],
      args: z.strictObject({}),
      effect: { timeoutSeconds: 5, attempts: 1, isTask: true, perform: async () => ++counted },
      decide: ({ effect }) => ({ facts: [], result: effect }),
    }),
  ],
})

it('lives on once a workflow of the host in the place of a task of ours is gone', async () => {
  const wrong = join(import.meta.dirname, '../../support/wrong-task.workflow.ts')
  const workflowBundle = await bundleWorkflowCode({ workflowsPath: wrong })
  const world = await startWorld({ extensions: [stage, counting], worker: { workflowBundle } })
  await world.birthPuppet('puppet')
  const call = { verb: 'do', operation: 'counting:count', target: '/', args: {} }
  expect(await live(world, 'puppet', { call })).toMatchObject({ outcome: 'failure', reason: 'INTERNAL' })
  expect(counted).toBe(0)
  await world.stopWorker()
  await world.startWorker(undefined, {})
  expect(await live(world, 'puppet', { call })).toMatchObject({ outcome: 'act' })
  expect(counted).toBe(1)
  await expectReplays(world)
  await world.close()
})
