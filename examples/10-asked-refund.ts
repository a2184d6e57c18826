/**
 * 10. A refund that a person is asked about: the one line `ask` of the operation. No prompt and no model gets
 *   around it. node examples/10-asked-refund.ts
 * It uses the services that DATABASE_URL and TEMPORAL_* name. Without them it starts its own in
 * .treeos/refunds. It ends by itself.
 */
import { act, approvals, summon } from '@treeos/client'
import { answer, defineExtension, defineOperation, defineRole, perform, recordFact } from '@treeos/sdk'
import { z } from 'zod'
import { withBeings } from './host.ts'

const refund = defineOperation({
  name: 'refunds:pay',
  description: 'Pays a refund.',
  on: 'being',
  allow: ['self'],
  ask: { who: ['operator'], within: 3600 },
  args: z.strictObject({ order: z.string().describe('its number'), euros: z.int().describe('whole euros') }),
  decide: ({ target, args }) => ({
    facts: [recordFact(target, 'refunds:paid', args)],
    reply: `paid: ${args.euros}`,
  }),
})

const refunds = defineExtension({
  name: 'refunds',
  version: '1.0.0',
  operations: [refund],
  roles: [
    defineRole({
      name: 'refunds:cashier',
      canDo: ['refunds:pay'],
      canSummon: [{ rel: 'asker' }],
      prose: 'answers',
      selfContinue: 'until-answered',
      prompt: 'You pay refunds.',
    }),
  ],
  scripts: {
    /** pays what it is asked for, and says so when it may not */
    'refunds:cashier': ({ wake }) =>
      wake.kind === 'denied'
        ? answer('The operator said no.')
        : perform('refunds:pay', '@cashier', { order: '7', euros: 40 }),
  },
  scene: [
    {
      verb: 'be',
      operation: 'birth',
      args: { name: 'cashier', cognition: 'scripted', script: 'refunds:cashier', role: 'refunds:cashier' },
    },
  ],
})

await withBeings('refunds', refunds, { mind: null }, async (at) => {
  for (const operation of ['approve', 'deny']) {
    const asked = summon(at, {
      as: 'operator',
      target: 'cashier',
      content: 'My lamp broke.',
      waitSeconds: 60,
    })
    let waits = await approvals(at, 'operator')
    while (waits.length === 0) waits = await approvals(at, 'operator')
    const [{ id = '', call = null } = {}] = waits
    console.log(`${id} wants to ${JSON.stringify(call)}`)
    await act(at, 'operator', { verb: 'do', operation, target: '@operator', args: { id } })
    console.log(`after ${operation}: ${(await asked).reply?.content}`)
  }
})
