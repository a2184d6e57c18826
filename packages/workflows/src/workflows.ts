/** Workflow types for a worker's bundle. A host with workflows of its own re-exports these from its workflow module. */
export { actSignal, type BeingInput, beingWorkflow, wakeSignal } from './being.workflow.ts'
export { scheduleWorkflow } from './schedule.workflow.ts'
export { taskWorkflow } from './task.workflow.ts'
