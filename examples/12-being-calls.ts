/**
 * 12. A being calls a workflow of one's own, which may take days, and answers whoever asked once it has ended.
 *   node examples/12-being-calls.ts
 * It uses the services that DATABASE_URL and TEMPORAL_* name. Without them it starts its own in .treeos/shipping. It
 * ends by itself.
 */
import { extname, join } from 'node:path'
import { summon } from '@treeos/client'
import { answer, defineCall, defineExtension, defineRole, perform, readPath, silence } from '@treeos/sdk'
import { z } from 'zod'
import { withBeings } from './host.ts'

const ship = defineCall({
  name: 'shipping:ship',
  description: 'Has an order shipped. The answer comes when it has arrived.',
  workflow: 'shipOrder', // in 11-workflows.ts
  answeredBy: '@depot',
  args: z.strictObject({ order: z.string().describe('its number') }),
})

const birth = (name: string, args: object) =>
  ({ verb: 'be', operation: 'birth', args: { name, ...args } }) as const
const shipping = defineExtension({
  name: 'shipping',
  version: '1.0.0',
  operations: [ship],
  roles: [
    defineRole({
      name: 'shipping:clerk',
      canDo: ['shipping:ship'],
      canSummon: ['@depot', { rel: 'asker' }],
      prose: 'answers',
      selfContinue: 'until-answered',
      prompt: 'You ship orders.',
    }),
    defineRole({ name: 'shipping:depot', canSummon: ['@clerk'], prompt: 'Workflows answer here.' }),
  ],
  scripts: {
    'shipping:clerk': ({ wake }) => {
      if (wake.from === 'depot') return answer(readPath(wake.content, ['result']) ?? 'It is lost.')
      return wake.from === null ? silence : perform('shipping:ship', '@clerk', { order: '7' })
    },
  },
  scene: [
    birth('clerk', { cognition: 'scripted', script: 'shipping:clerk', role: 'shipping:clerk' }),
    birth('depot', { cognition: 'human', role: 'shipping:depot' }),
    {
      verb: 'do',
      operation: 'set-being',
      target: '@depot',
      args: { field: 'wake.workflows', value: true },
    },
  ],
})

const workflowsPath = join(import.meta.dirname, `11-workflows${extname(import.meta.filename)}`)
await withBeings('shipping', shipping, { mind: null, workflowsPath }, async (at) => {
  const asked = summon(at, { as: 'operator', target: 'clerk', content: 'Ship order 7.', waitSeconds: 60 })
  const query = 'WorkflowType = "shipOrder" AND ExecutionStatus = "Running"'
  for (let isShipping = false; !isShipping; )
    for await (const { workflowId } of at.temporal.workflow.list({ query })) {
      console.log(`${workflowId.split('/')[0]} is under way`)
      await at.temporal.workflow.getHandle(workflowId).signal('arrived')
      isShipping = true
    }
  console.log(`@clerk: ${(await asked).reply?.content}`)
})
