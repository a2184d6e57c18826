/**
 * Workflow types for a worker's bundle. A host with workflows of its own re-exports these from its workflow
 * module.
 */
export { treeosBeing } from './being.workflow.ts'
export { treeosCall } from './call.workflow.ts'
export type { BeingInput } from './life.ts'
export { treeosSchedule } from './schedule.workflow.ts'
export { actSignal, wakeSignal } from './signals.ts'
export { treeosTask } from './task.workflow.ts'
