import { defineSearchAttributeKey } from '@temporalio/common'
import { workflowInfo } from '@temporalio/workflow'
import type { ScheduleRef } from '@treeos/protocol/workflow'
import { localBeats } from './beats.ts'

/** The server says when a start was due, however late it comes. */
const SCHEDULED_AT = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME')

/**
 * One tick of a schedule: a wake for one being. While no worker runs it waits, and the ticks after it are skipped, since
 * one is under way: so they collapse to one.
 */
export async function scheduleWorkflow({ being, name }: ScheduleRef): Promise<void> {
  const { typedSearchAttributes, startTime } = workflowInfo()
  const at = (typedSearchAttributes.get(SCHEDULED_AT) ?? startTime).toISOString()
  await localBeats(`wake @${being} by ${name}`).wakeScheduled({ being, name, at })
}
