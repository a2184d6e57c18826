import { defineSearchAttributeKey } from '@temporalio/common'
import { workflowInfo } from '@temporalio/workflow'
import type { ScheduleRef } from '@treeos/protocol/workflow'
import { localBeats } from './beats.ts'

/** The server sets this to the time at which the start was due, even when the start is late. */
const SCHEDULED_AT = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME')

/**
 * One tick of a schedule: a wake for one being. While no worker runs, this workflow waits, and Temporal skips
 * the ticks that follow because one is still running. So a being gets one wake for all of them.
 */
export async function treeosSchedule({ being, name }: ScheduleRef): Promise<void> {
  const { typedSearchAttributes, startTime } = workflowInfo()
  const at = (typedSearchAttributes.get(SCHEDULED_AT) ?? startTime).toISOString()
  await localBeats(`wake @${being} by ${name}`).wakeScheduled({ being, name, at })
}
