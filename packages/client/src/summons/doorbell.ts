import type { Client } from '@temporalio/client'
import { TypedSearchAttributes } from '@temporalio/common'
import type { BeingName } from '@treeos/core'
import { BEING, BEING_VERSION, BEING_WORKFLOW, beingWorkflowId, REALITY, WAKE_SIGNAL } from '@treeos/protocol'
import { type Db, isListening } from '@treeos/store'

/**
 * After this time Temporal gives a workflow task to another worker. With 5 s a loaded machine timed out the
 * same tasks repeatedly. When a worker is killed, its beings wait this long once.
 */
const WORKFLOW_TASK_TIMEOUT = '10s'

/**
 * Call it after the commit of a wake. Rings the being, unless its run says that it looks for wakes itself:
 * asking Postgres costs less than a signal to Temporal. When Postgres does not answer, it rings.
 */
export async function ringUnlessListening(
  db: Db,
  client: Client,
  at: { reality: string; taskQueue: string },
  being: BeingName,
): Promise<void> {
  const listens = await isListening(db, being).catch(() => false) // a ring too many does no harm
  if (!listens) await ringBeing(client, at, being)
}

/** Signals the workflow of one being, and starts the workflow when none runs. */
export async function ringBeing(
  client: Client,
  at: { reality: string; taskQueue: string },
  being: BeingName,
): Promise<void> {
  await client.workflow.signalWithStart(BEING_WORKFLOW, {
    workflowId: beingWorkflowId(at.reality, being),
    taskQueue: at.taskQueue,
    args: [{ reality: at.reality, being, version: BEING_VERSION }],
    signal: WAKE_SIGNAL,
    signalArgs: [],
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    staticSummary: `@${being} of ${at.reality}`,
    typedSearchAttributes: new TypedSearchAttributes([
      { key: REALITY, value: at.reality },
      { key: BEING, value: being },
    ]),
  })
}
