/** The names and shapes that workflow code uses. */
export {
  ACT_SIGNAL,
  BEING_VERSION,
  BEING_WORKFLOW,
  beingWorkflowId,
  CALL_WORKFLOW,
  callWorkflowId,
  SCHEDULE_WORKFLOW,
  scheduleId,
  taskWorkflowId,
  WAKE_SIGNAL,
} from './address.ts'
export type * from './beats.ts'
export { FINAL_ERRORS, STACK_DIFFERS } from './final-errors.ts'
export { MOMENTS_OF_TASK_MAX } from './moments-of-task.ts'
export { BEING, COGNITION, REALITY, ROLE, SEARCH_ATTRIBUTES } from './search-attributes.ts'
