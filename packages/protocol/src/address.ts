import type { BeingName } from '@treeos/core/workflow'

/** Workflow id of a being: its name, never a run id. */
export const beingWorkflowId = (reality: string, being: BeingName): string => `being/${reality}/${being}`

/** Every reality has its own queue, so that workers of two never meet. */
export const taskQueueOf = (reality: string): string => `treeos-${reality}`

/** Id of a schedule, and what the ids of the workflows it starts begin with; beings' ids never do. */
export const scheduleId = (reality: string, being: BeingName, name: string): string =>
  `schedule/${reality}/${being}/${name}`

export const BEING_WORKFLOW = 'beingWorkflow'
export const SCHEDULE_WORKFLOW = 'scheduleWorkflow'
export const WAKE_SIGNAL = 'wake'
export const ACT_SIGNAL = 'act'
