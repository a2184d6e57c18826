import type { BeingName } from '@treeos/core/workflow'

/** Workflow id of a being: its name, never a run id. */
export const beingWorkflowId = (reality: string, being: BeingName): string => `being/${reality}/${being}`

/** Every reality has its own queue, so that workers of two never meet. */
export const taskQueueOf = (reality: string): string => `treeos-${reality}`

export const BEING_WORKFLOW = 'beingWorkflow'
export const WAKE_SIGNAL = 'wake'
export const ACT_SIGNAL = 'act'
