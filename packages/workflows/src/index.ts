/** The names under which beings live on Temporal: what clients and workers share, without any workflow code. */
export {
  ACT_SIGNAL,
  BEING_WORKFLOW,
  beingWorkflowId,
  SCHEDULE_WORKFLOW,
  scheduleId,
  taskQueueOf,
  WAKE_SIGNAL,
} from './address.ts'
export type { ScheduleInput } from './schedule.workflow.ts'
export { BEING, COGNITION, REALITY, ROLE, SEARCH_ATTRIBUTES } from './search-attributes.ts'
