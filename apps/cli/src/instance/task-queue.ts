import type { Client } from '@temporalio/client'
import type { Reality } from '@treeos/store'

const WORKFLOW = 1 // temporal.api.enums.v1.TaskQueueType

/**
 * Says that no worker takes the work of a reality: none runs, or it polls another task queue. The server
 * forgets a worker five minutes after its last poll.
 * @returns null when a worker polls
 */
export async function missingWorker(temporal: Client, reality: Reality): Promise<string | null> {
  const { taskQueue } = reality
  const { pollers } = await temporal.workflowService.describeTaskQueue({
    namespace: temporal.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: WORKFLOW,
  })
  return (pollers ?? []).length > 0
    ? null
    : `No worker polls the task queue ${taskQueue}, in which the beings of reality ${reality.name} wait`
}
