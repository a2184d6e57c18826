/** The workflows of examples 11 and 12: one asks a being, a being calls the other. */
import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow'
import type { HostActivities } from '@treeos/host'
import type { CalledInput } from '@treeos/sdk'

const { treeosSummon, treeosSignal } = proxyActivities<HostActivities>({
  startToCloseTimeout: '1 hour', // of one attempt: the next one waits on for the same answer
  heartbeatTimeout: '12s',
})

/** Asks the being @clerk what a lamp costs, and publishes the answer as `world.prices.lamp`. */
export async function priceLamp(): Promise<string> {
  const { reply } = await treeosSummon({ as: '@shop', to: '@clerk', content: 'How much is a lamp?' })
  const price = String(reply?.content)
  await treeosSignal({ as: '@shop', namespace: 'prices', key: 'lamp', value: price })
  return price
}

/** Ships an order, which takes until somebody signals that it has arrived. */
export async function shipOrder({ args }: CalledInput<{ order: string }>): Promise<string> {
  let isThere = false
  setHandler(defineSignal('arrived'), () => {
    isThere = true
  })
  await condition(() => isThere)
  return `order ${args.order} has arrived`
}
