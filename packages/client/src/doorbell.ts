import type { Client } from '@temporalio/client'
import { TypedSearchAttributes } from '@temporalio/common'
import type { BeingName } from '@treeos/core'
import { BEING, BEING_WORKFLOW, beingWorkflowId, REALITY, WAKE_SIGNAL } from '@treeos/protocol'

/**
 * A workflow task that takes longer than this is given to another worker. Half of it made a loaded machine time out the same
 * tasks again and again; a killed worker's beings wait for it once.
 */
const WORKFLOW_TASK_TIMEOUT = '10s'

/** Rings one being: starts its workflow when none runs, so that a lost one comes back by itself. */
export async function ringBeing(
  client: Client,
  at: { reality: string; taskQueue: string },
  being: BeingName,
): Promise<void> {
  await client.workflow.signalWithStart(BEING_WORKFLOW, {
    workflowId: beingWorkflowId(at.reality, being),
    taskQueue: at.taskQueue,
    args: [{ reality: at.reality, being }],
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
