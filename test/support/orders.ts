import { answer, defineCall, defineExtension, defineRole, perform, silence } from '@treeos/sdk'
import { z } from 'zod'

/** Starts a workflow of `orders.workflow.ts`. */
const ship = defineCall({
  name: 'orders:ship',
  description: 'Has an order shipped. The answer comes when it has arrived.',
  workflow: 'shipOrder',
  answeredBy: '@orders',
  args: z.strictObject({ order: z.string().describe('its number') }),
})

/** A clerk who answers workflows of a team and calls one, and a person as whom they act. */
export const orders = defineExtension({
  name: 'orders',
  version: '1.0.0',
  operations: [ship],
  roles: [
    defineRole({
      name: 'orders:clerk',
      canDo: ['orders:ship'],
      canSummon: ['@orders', { rel: 'asker' }],
      prompt: 'You sell lamps.',
    }),
    defineRole({
      name: 'orders:desk',
      canSee: ['~', '@clerk'],
      canDo: ['set-world-signal'],
      canSummon: ['@clerk', '@silent', '@nobody'],
      prompt: 'Workflows act here.',
    }),
  ],
  scripts: {
    'orders:clerk': ({ wake }) => {
      if (wake.from === 'orders' && wake.inReplyTo !== null) return answer({ shipped: wake.content })
      if (typeof wake.content === 'string' && wake.content.startsWith('ship '))
        return perform('orders:ship', '@clerk', { order: wake.content.slice(5) })
      return wake.from === null ? silence : answer(`a lamp is 40 euros, @${wake.from}`)
    },
    'orders:silent': () => silence,
  },
})
