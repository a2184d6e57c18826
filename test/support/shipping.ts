/** The clerk of `orders.ts` at work: born in a reality, asked to ship, and the workflow that it calls for that. */
import type { WorkflowHandle } from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import { act, type SummonResult, summon } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import { callWorkflowId } from '@treeos/protocol'
import type { StoreDb } from '@treeos/store'
import type { Kysely } from 'kysely'
import { until } from './life.ts'

/** A reality whose worker has the workflows of `orders.workflow.ts`. */
export type Shop = Parameters<typeof summon>[0] & { readonly db: Kysely<StoreDb> }

/** The clerk, and the person as whom workflows act. */
export async function openShop(shop: Shop): Promise<void> {
  const born: readonly JsonObject[] = [
    { name: 'clerk', cognition: 'scripted', script: 'orders:clerk', role: 'orders:clerk' },
    { name: 'orders', cognition: 'human', role: 'orders:desk' },
  ]
  for (const args of born) await act(shop, 'operator', { verb: 'be', operation: 'birth', args })
  await letWorkflowsActAs(shop, '@orders')
}

export async function letWorkflowsActAs(shop: Shop, person: string): Promise<void> {
  await act(shop, 'operator', {
    ...{ verb: 'do', operation: 'set-being', target: person },
    args: { field: 'wake.workflows', value: true },
  })
}

/** One order that is under way. */
export interface Shipment {
  /** what the operator hears in the end; need not be awaited */
  readonly answered: Promise<SummonResult>
  /** the moment by which the clerk calls a workflow */
  readonly moment: string
  readonly thread: string
  /** our workflow of the call */
  readonly call: WorkflowHandle
  /** the host's workflow */
  readonly called: WorkflowHandle
}

/** The operator asks the clerk to ship something. Returns once the host's workflow runs. */
export async function ship(shop: Shop, order: string): Promise<Shipment> {
  const sent = Promise.withResolvers<string>()
  const answered = summon(shop, {
    ...{ as: 'operator', target: 'clerk', content: `ship ${order}`, waitSeconds: 60, requireReply: true },
    onSent: sent.resolve,
  })
  answered.catch(sent.reject)
  const thread = await sent.promise
  const moment = await callingMoment(shop, thread)
  return { answered, moment, thread, call: callOf(shop, moment), called: await calledBy(shop, moment) }
}

/**
 * The moment by which the clerk calls a workflow.
 * @param thread by default that of the first call
 */
export const callingMoment = (shop: Shop, thread?: string): Promise<string> =>
  until(async () => {
    const calls = shop.db
      .selectFrom('inbox')
      .select('id')
      .where('being', '=', 'orders')
      .where('kind', '=', 'summon')
      .where('in_reply_to', 'is', null)
    const found = await (thread === undefined ? calls : calls.where('root', '=', thread)).execute()
    return found[0]?.id ?? null
  })

const callOf = ({ temporal, reality }: Shop, moment: string): WorkflowHandle =>
  temporal.workflow.getHandle(callWorkflowId(reality.name, moment))

/** The workflow of the host that a moment called, once it runs: Temporal lists it among the pending ones before it can be found. */
export const calledBy = (shop: Shop, moment: string): Promise<WorkflowHandle> =>
  until(async () => {
    const { raw } = await callOf(shop, moment)
      .describe()
      .catch(() => ({ raw: null }))
    const id = raw?.pendingChildren?.[0]?.workflowId
    if (id == null) return null
    const called = shop.temporal.workflow.getHandle(id)
    return called.describe().then(
      () => called,
      () => null,
    )
  })

export const cutThread = (shop: Shop, thread: string) =>
  act(shop, 'operator', { verb: 'do', operation: 'cut-thread', target: `thread:${thread}`, args: {} })

/** The failure of the activity by which a workflow of the host failed. */
export async function failureOf(workflow: WorkflowHandle): Promise<ApplicationFailure> {
  const error = await workflow.result().then(
    () => null,
    (thrown: unknown) => thrown,
  )
  const failure = (error as { cause?: { cause?: unknown } } | null)?.cause?.cause
  if (failure instanceof ApplicationFailure) return failure
  throw new Error('it did not fail', { cause: error })
}
