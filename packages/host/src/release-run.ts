import type { Client } from '@temporalio/client'

/** The run begins to wait a few ms after this call, when its task ends. So the release comes during the wait. */
const SHARE_OF_WAIT = 0.6

/**
 * Lets any worker take the next task of a run that waits: the server would give it to this one, which keeps
 * the run in its cache. Where that fails, or comes too early, this worker gets the task and hands it on again.
 * @param waitMs how long the run waits
 */
export function releaseRun(
  client: Client,
  execution: { readonly workflowId: string; readonly runId: string },
  waitMs: number,
  onError: (error: unknown) => void,
): void {
  const { namespace } = client.options
  const release = () =>
    client.workflowService.resetStickyTaskQueue({ namespace, execution }).then(() => undefined, onError)
  setTimeout(release, waitMs * SHARE_OF_WAIT).unref()
}
