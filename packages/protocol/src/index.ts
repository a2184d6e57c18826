/**
 * What workflows, activities and clients say to each other: ids, signals, search attributes, activity inputs
 * and results.
 */
export {
  ACT_SIGNAL,
  BEING_VERSION,
  BEING_WORKFLOW,
  beingWorkflowId,
  CALL_WORKFLOW,
  callWorkflowId,
  isOurWorkflowId,
  realityOfWorkflowId,
  SCHEDULE_WORKFLOW,
  scheduleId,
  TASK_WORKFLOW,
  taskWorkflowId,
  WAKE_SIGNAL,
} from './address.ts'
export type * from './beats.ts'
export { FINAL_ERRORS, STACK_DIFFERS } from './final-errors.ts'
export { MOMENTS_OF_TASK_MAX } from './moments-of-task.ts'
export { BEING, COGNITION, REALITY, ROLE, SEARCH_ATTRIBUTES } from './search-attributes.ts'
