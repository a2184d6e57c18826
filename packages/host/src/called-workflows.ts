/** Calls of workflows of the host by beings: what they are given, how they are answered, and when they end. */

import type { Client, WorkflowHandle } from '@temporalio/client'
import { ApplicationFailure, ApplicationFailureCategory, WorkflowNotFoundError } from '@temporalio/common'
import { type Connection, RecurringWork, reply } from '@treeos/client'
import { type Json, type MomentId, parseMomentId, TreeosError } from '@treeos/core'
import { CALL_WORKFLOW, type CallBeats, type CalledEnd, callWorkflowId } from '@treeos/protocol'
import { findBeing } from '@treeos/reality'
import { findEffect, findEntry, findOutcome, isOpenWake, traceparentOf } from '@treeos/store'

/** @param connect the reality of a running worker */
export function callActivities(connect: () => Connection): CallBeats {
  return {
    async treeosReadCall({ moment }) {
      const { db, reality, registry } = connect()
      const outcome = await findOutcome(db, moment)
      if (outcome === null) throw retried('NotSealed', `the moment ${moment} is not over`)
      if (outcome.kind !== 'act') return null
      const [request, entry] = [(await findEffect(db, moment))?.request, await findEntry(db, moment)]
      if (request?.key === undefined || entry === null || entry.inReplyTo !== null) return null
      if (!(await isOpenWake(db, moment))) return null // nobody waits for it any more, as after a reset of this run
      const { operation, args, key } = request
      const starts = registry.operations.get(operation)?.effect?.starts
      if (starts === undefined)
        throw retried('NotLoaded', `the code of ${operation} is not loaded in this worker`)
      const { being } = parseMomentId(moment)
      const { root: thread } = entry
      const traceparent = traceparentOf(reality.id, thread, moment)
      return {
        workflow: starts.workflow,
        taskQueue: starts.taskQueue ?? reality.taskQueue,
        id: `${operation}/${key}`,
        input: {
          args: args as Json,
          call: { reality: reality.name, being, moment, thread, traceparent, key },
        },
      }
    },
    async treeosEndCall({ moment, ended }) {
      const at = connect()
      const entry = await findEntry(at.db, moment)
      if (entry === null || !(await isOpenWake(at.db, moment))) return null // nobody waits for it any more
      const answer = async (content: Json) => {
        const said = { as: entry.being, correlation: moment, content, waitSeconds: null }
        await reply({ ...at, person: entry.being }, { ...said, key: `call/${moment}` })
      }
      try {
        await answer(ended as unknown as Json)
      } catch (error) {
        if (!(error instanceof TreeosError)) throw error
        if (error.code === 'PAYLOAD_TOO_LARGE' || error.code === 'INVALID_INPUT') {
          await answer(tooLarge(error) as unknown as Json)
          return null
        }
        throw ApplicationFailure.create({
          type: error.code,
          message: `treeosEndCall: ${error.code}`,
          nonRetryable: error.code !== 'TIMEOUT' && error.code !== 'SERVICE_UNAVAILABLE',
          details: [error.toJSON()],
        })
      }
      return null
    },
  }
}

/** Whether somebody waits for what a moment called, or the moment is not over. */
async function isAwaited({ db, reality }: CalledWorkflowsOptions, moment: MomentId): Promise<boolean> {
  if ((await findEntry(db, moment)) === null) return true
  const asker = await findBeing({ db, reality }, parseMomentId(moment).being)
  return asker?.ended === undefined && (await isOpenWake(db, moment))
}

/** Another attempt finds it, so it is no fault that a log tells. */
const retried = (type: string, message: string) =>
  ApplicationFailure.create({ type, message, category: ApplicationFailureCategory.BENIGN })

/** A result that no being can be told is an error to it. */
const tooLarge = ({ code, message }: TreeosError): CalledEnd => ({ error: { type: code, message } })

const SWEEP_EVERY_MS = 10_000

export interface CalledWorkflowsOptions extends Pick<Connection, 'db' | 'reality' | 'registry'> {
  readonly client: Client
  readonly onError: (error: unknown) => void
  /** default 10,000 */
  readonly sweepEveryMs?: number
}

/**
 * Cancels what beings called and nobody waits for any more: its thread was cut, the being was ended, or the
 * person closed what it was told. Does nothing where no operation calls a workflow.
 */
export class CalledWorkflows {
  readonly #options: CalledWorkflowsOptions
  readonly #sweeps: RecurringWork

  constructor(options: CalledWorkflowsOptions) {
    this.#options = options
    const { sweepEveryMs = SWEEP_EVERY_MS, onError } = options
    this.#sweeps = new RecurringWork(sweepEveryMs, () => this.sweep(), onError)
  }

  start(): void {
    const operations = [...this.#options.registry.operations.values()]
    if (operations.some(({ effect }) => effect?.starts !== undefined)) this.#sweeps.start()
  }

  /** @returns how many it cancelled */
  async sweep(): Promise<number> {
    const { client, reality } = this.#options
    const prefix = callWorkflowId(reality.name, '')
    const query = `WorkflowType = "${CALL_WORKFLOW}" AND WorkflowId STARTS_WITH "${prefix}" AND ExecutionStatus = "Running"`
    let cancelled = 0
    for await (const { workflowId, runId } of client.workflow.list({ query })) {
      const moment: MomentId = workflowId.slice(prefix.length)
      if (await isAwaited(this.#options, moment)) continue
      const call = client.workflow.getHandle(workflowId, runId)
      if (await cancelCalled(call)) cancelled += 1
    }
    return cancelled
  }

  close(): Promise<void> {
    return this.#sweeps.close()
  }
}

/**
 * Cancels a call whose workflow of the host runs. The list of running workflows lags behind, and its own answer
 * closes the question before a call has ended: so the server is asked for the call itself, after the question was
 * found closed.
 * @returns false where there is nothing to cancel
 */
async function cancelCalled(call: WorkflowHandle): Promise<boolean> {
  try {
    const { raw } = await call.describe()
    if ((raw.pendingChildren ?? []).length === 0) return false
    await call.cancel()
    return true
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false // it has just ended
    throw error
  }
}
