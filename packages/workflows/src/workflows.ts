/**
 * Workflow types for a worker's bundle. A host with workflows of its own re-exports these from its workflow
 * module.
 */
export { beingWorkflow } from './being.workflow.ts'
export type { BeingInput } from './life.ts'
export { scheduleWorkflow } from './schedule.workflow.ts'
export { actSignal, wakeSignal } from './signals.ts'
export { taskWorkflow } from './task.workflow.ts'
