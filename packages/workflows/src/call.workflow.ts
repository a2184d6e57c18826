import {
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowCancellationType,
  executeChild,
  isCancellation,
  proxyActivities,
  startChild,
  workflowInfo,
} from '@temporalio/workflow'
import { type Json, LIMITS, utf8Length } from '@treeos/core/workflow'
import {
  BEING,
  type CallBeats,
  type CalledEnd,
  type CalledWorkflow,
  type CallRef,
  callWorkflowId,
  REALITY,
} from '@treeos/protocol/workflow'

/** The moment may not be sealed yet when it is asked for. Nothing gives up, since somebody waits for the answer. */
const callBeats = (summary: string) =>
  proxyActivities<CallBeats>({
    summary,
    startToCloseTimeout: '60s',
    retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '60s' },
  })

/**
 * Calls a workflow of the host for a moment, and answers with its result, however long it takes. Its own history
 * holds what the host's workflow is given and returns; that of the being holds the moment's id alone. Cancelling
 * it cancels the host's workflow, and nothing is answered.
 */
export async function treeosCall({ moment }: CallRef): Promise<void> {
  const call = await callBeats(`what ${moment} calls`).treeosReadCall({ moment })
  if (call === null) return
  const ended = await endOf(call)
  await CancellationScope.nonCancellable(() =>
    callBeats(`answers what ${moment} asked`).treeosEndCall({ moment, ended }),
  )
}

async function endOf({ workflow, taskQueue, id, input }: CalledWorkflow): Promise<CalledEnd> {
  try {
    const result = await executeChild(workflow, {
      workflowId: id,
      taskQueue,
      args: [input],
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      parentClosePolicy: 'REQUEST_CANCEL',
    })
    return told(result ?? null)
  } catch (error) {
    if (isCancellation(error) && CancellationScope.current().consideredCancelled) throw error
    const failure = (error as { readonly cause?: unknown }).cause ?? error
    const { name, message } = failure as Error
    const type = failure instanceof ApplicationFailure ? (failure.type ?? name) : name
    return { error: { type, message: message.slice(0, MESSAGE_CHARS_MAX) } }
  }
}

/** Of the message of a failure: a being is told its beginning. */
const MESSAGE_CHARS_MAX = 4000

/** A result that no being can be told is an error to it. Passed on, it would not fit into our history either. */
function told(result: Json): CalledEnd {
  const bytes = utf8Length(JSON.stringify(result))
  const { contentBytesMax: max } = LIMITS
  if (bytes <= max) return { result }
  const message = `the result has ${bytes} bytes, and at most ${max} are allowed: return an id, a URL or a file's name instead`
  return { error: { type: 'PAYLOAD_TOO_LARGE', message } }
}

/** Starts the call as a child of the being's workflow, which goes on with other moments. */
export async function startCall(input: CallRef): Promise<void> {
  const { typedSearchAttributes, workflowId } = workflowInfo()
  const [reality, being] = [typedSearchAttributes.get(REALITY), typedSearchAttributes.get(BEING)]
  try {
    await startChild(treeosCall, {
      workflowId: callWorkflowId(reality ?? workflowId, input.moment),
      args: [input],
      parentClosePolicy: 'ABANDON',
      staticSummary: `what ${input.moment} calls`,
      typedSearchAttributes: [
        ...(reality === undefined ? [] : [{ key: REALITY, value: reality }]),
        ...(being === undefined ? [] : [{ key: BEING, value: being }]),
      ],
    })
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'WorkflowExecutionAlreadyStartedError') throw error
  }
}
