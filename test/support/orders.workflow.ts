/** Workflows of a team beside beings: one asks a being, one is called by a being. */
import {
  ApplicationFailure,
  condition,
  defineSignal,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow'
import type { HostActivities, HostAnswer, HostLook, HostReply, HostSignal, HostSummon } from '@treeos/host'
import type { CalledInput } from '@treeos/sdk'

const acts = proxyActivities<HostActivities>({
  startToCloseTimeout: '30s',
  heartbeatTimeout: '12s',
  retry: { initialInterval: '100ms' },
})

export const askBeing = (request: HostSummon): Promise<HostAnswer> => acts.treeosSummon(request)
export const tellWorld = (request: HostSignal) => acts.treeosSignal(request)
export const look = (request: HostLook) => acts.treeosSee(request)
export const answerBeing = (request: HostReply) => acts.treeosReply(request)

/** Waits for a being as long as it takes, in attempts of two seconds. */
const patient = proxyActivities<HostActivities>({
  startToCloseTimeout: '2500ms',
  retry: { initialInterval: '100ms' },
})
export const askPatiently = (request: HostSummon): Promise<HostAnswer> => patient.treeosSummon(request)

const arrived = defineSignal<[string]>('arrived')

/** Ships an order, which takes as long as it takes. */
export async function shipOrder({ args, call }: CalledInput<{ order: string }>) {
  let where: string | null = null
  setHandler(arrived, (place) => {
    where = place
  })
  await condition(() => where !== null)
  if (where === 'nowhere') throw ApplicationFailure.nonRetryable(`order ${args.order} is lost`, 'Lost')
  return { order: args.order, where, of: call.moment, traceparent: call.traceparent }
}
