import type { Client } from '@temporalio/client'
import type { Logger } from '@temporalio/worker'
import { quote } from '@treeos/core'

const NAMED_MAX = 3
const WORKFLOW = 1 // temporal.api.enums.v1.TaskQueueType

/**
 * Tells whoever starts a worker beside others, such as those of `treeos up`, that the task queue is shared:
 * each takes moments of all beings, and hands on those whose extension it has not loaded. The server remembers
 * a worker for five minutes after its last poll.
 */
export async function tellOfOtherWorkers(
  { workflowService, options: { namespace } }: Pick<Client, 'workflowService' | 'options'>,
  { taskQueue, identity }: { readonly taskQueue: string; readonly identity: string },
  log: Pick<Logger, 'info' | 'debug'>,
): Promise<void> {
  try {
    const { pollers } = await workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: WORKFLOW,
    })
    const others = (pollers ?? [])
      .flatMap((poller) => poller.identity || [])
      .filter((one) => one !== identity)
    if (others.length > 0)
      log.info(
        `other workers poll the task queue ${taskQueue} too, or did so within five minutes (${others.slice(0, NAMED_MAX).map(quote).join(', ')}): each takes moments of ` +
          'all beings, and hands on those that need an extension, or a version of one, that it has not loaded',
      )
  } catch (error) {
    log.debug('which other workers poll the task queue cannot be read', { taskQueue, error: String(error) })
  }
}
