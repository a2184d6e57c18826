import type { Client } from '@temporalio/client'
import proto from '@temporalio/proto'

const { WORKFLOW_EXECUTION_STATUS_RUNNING } = proto.temporal.api.enums.v1.WorkflowExecutionStatus
/** Whoever asks holds a workflow task. */
const ANSWER_MS_MAX = 1000

/**
 * Asks Temporal whether this run still runs. It does not read from disk for that.
 * @throws {ServiceError} when it knows no such run, or does not answer within {@link ANSWER_MS_MAX}
 */
export async function isRunning(
  client: Client,
  execution: { readonly workflowId: string; readonly runId: string },
): Promise<boolean> {
  const { namespace } = client.options
  const ask = () => client.workflowService.describeWorkflowExecution({ namespace, execution })
  const { workflowExecutionInfo: found } = await client.withDeadline(Date.now() + ANSWER_MS_MAX, ask)
  return found?.status === WORKFLOW_EXECUTION_STATUS_RUNNING
}
