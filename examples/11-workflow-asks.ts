/**
 * 11. A workflow of one's own asks a being and waits for its answer, as the person @shop, whom the operator gave to
 *   workflows. It needs no login of a person. node examples/11-workflow-asks.ts
 * It uses the services that DATABASE_URL and TEMPORAL_* name. Without them it starts its own in .treeos/shop. It ends
 * by itself.
 */
import { extname, join } from 'node:path'
import { readSignals } from '@treeos/client'
import { answer, defineExtension, defineRole, silence } from '@treeos/sdk'
import { withBeings } from './host.ts'

const shop = defineExtension({
  name: 'shop',
  version: '1.0.0',
  roles: [
    defineRole({
      name: 'shop:clerk',
      canSummon: [{ rel: 'asker' }],
      prose: 'answers',
      prompt: 'You sell lamps.',
    }),
    defineRole({
      name: 'shop:workflows',
      canSummon: ['@clerk'],
      canDo: ['set-world-signal'],
      prompt: 'Workflows act here.',
    }),
  ],
  scripts: { 'shop:clerk': ({ wake }) => (wake.from === null ? silence : answer('40 euros')) },
  scene: [
    {
      verb: 'be',
      operation: 'birth',
      args: { name: 'clerk', cognition: 'scripted', script: 'shop:clerk', role: 'shop:clerk' },
    },
    { verb: 'be', operation: 'birth', args: { name: 'shop', cognition: 'human', role: 'shop:workflows' } },
    {
      verb: 'do',
      operation: 'set-being',
      target: '@shop',
      args: { field: 'wake.workflows', value: true },
    },
  ],
})

const workflowsPath = join(import.meta.dirname, `11-workflows${extname(import.meta.filename)}`)
await withBeings('shop', shop, { mind: null, workflowsPath }, async (at) => {
  const { taskQueue } = at.reality
  const price = await at.temporal.workflow.execute('priceLamp', {
    taskQueue,
    workflowId: `price-${process.pid}`,
  })
  console.log(`the workflow got: ${price}`)
  console.log(`world.prices is ${JSON.stringify(await readSignals(at.db, ['prices']))}`)
})
