import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import { type Effects, type PerformInput, realityOfWorkflowId } from '@treeos/protocol'

/**
 * The activity of a worker for names that it has not registered. An effect of an extension that is not loaded
 * is left to another worker: if it failed here, that would use up one of its attempts. Any other activity,
 * and one of another reality, goes to the `default` of the host, and fails without one as the SDK lets it fail.
 */
export function otherEffects(
  runtime: { readonly realityName: string | null; readonly perform: Effects[string] },
  registered: object,
): (...args: unknown[]) => Promise<unknown> {
  const others = 'default' in registered ? registered.default : undefined
  return async (...args) => {
    const { activityType, workflowExecution } = Context.current().info
    const reality = realityOfWorkflowId(workflowExecution?.workflowId ?? '')
    if (reality !== null && reality === runtime.realityName) return runtime.perform(args[0] as PerformInput)
    if (typeof others === 'function') return others(...args)
    throw ApplicationFailure.create({
      type: 'NotFoundError',
      message: `Activity function ${activityType} is not registered on this Worker, available activities: ${JSON.stringify(Object.keys(registered))}`,
    })
  }
}
