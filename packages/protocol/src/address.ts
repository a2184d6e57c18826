import type { BeingName, MomentId } from '@treeos/core/workflow'

/** Workflow id of a being. It stays the same over all runs. */
export const beingWorkflowId = (reality: string, being: BeingName): string => `being/${reality}/${being}`

/**
 * Id of a schedule, and prefix of the ids of the workflows that it starts. No being's workflow id begins with
 * it.
 */
export const scheduleId = (reality: string, being: BeingName, name: string): string =>
  `schedule/${reality}/${being}/${name}`

/** Our workflow types have names that no workflow of a host has by chance. */
export const BEING_WORKFLOW = 'treeosBeing'
/**
 * Version of the workflow's code, in the input of each run. Code that does otherwise than this version has
 * another one.
 */
export const BEING_VERSION = 1
/** Workflow id of the task that a moment dispatches. A moment has one effect, so at most one task. */
export const taskWorkflowId = (reality: string, moment: MomentId): string => `task/${reality}/${moment}`

/** Workflow id of the call of a workflow of the host by a moment. */
export const callWorkflowId = (reality: string, moment: MomentId): string => `treeosCall/${reality}/${moment}`

/** Name of the reality that a workflow of ours is of, by its id; null for a workflow of somebody else. */
export const realityOfWorkflowId = (id: string): string | null =>
  /^(?:being|schedule|task|treeosCall)\/([^/]+)\/[^/]/.exec(id)?.[1] ?? null

/** Whether a workflow is a being, a tick of a schedule, a task or a call of ours, by its id. */
export const isOurWorkflowId = (id: string): boolean => realityOfWorkflowId(id) !== null

export const TASK_WORKFLOW = 'treeosTask'
export const CALL_WORKFLOW = 'treeosCall'
export const SCHEDULE_WORKFLOW = 'treeosSchedule'
export const WAKE_SIGNAL = 'wake'
export const ACT_SIGNAL = 'act'
