import { executeChild, workflowInfo } from '@temporalio/workflow'
import { BEING, REALITY, type TaskInput, taskWorkflowId } from '@treeos/protocol/workflow'
import { performed } from './beats.ts'

/**
 * One task: the call of a model by the Signature of a shape, in a workflow of its own. Its history holds ids
 * alone: inputs, outputs and the overlay's handle are in Postgres, with the effect of the moment that
 * dispatched it.
 */
export async function treeosTask({ moment, n, effect }: TaskInput): Promise<void> {
  await performed(`task #${n}`, effect, { moment })
}

/** Runs a task as a child of the being's workflow, which waits for its end. */
export async function dispatch(input: TaskInput): Promise<void> {
  const { typedSearchAttributes, workflowId } = workflowInfo()
  const [reality, being] = [typedSearchAttributes.get(REALITY), typedSearchAttributes.get(BEING)]
  await executeChild(treeosTask, {
    workflowId: taskWorkflowId(reality ?? workflowId, input.moment),
    args: [input],
    staticSummary: input.effect.operation,
    typedSearchAttributes: [
      ...(reality === undefined ? [] : [{ key: REALITY, value: reality }]),
      ...(being === undefined ? [] : [{ key: BEING, value: being }]),
    ],
  })
}
