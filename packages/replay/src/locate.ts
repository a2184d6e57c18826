import type { Client } from '@temporalio/client'
import type { BeingName, MomentId } from '@treeos/core'
import { beingWorkflowId } from '@treeos/protocol'
import { decodeHistory } from './decode-history.ts'
import { eventOfMoment } from './temporal-history.ts'

/** Where Temporal records a moment. */
export interface MomentPlace {
  readonly workflowId: string
  readonly runId: string
  readonly eventId: string
}

/**
 * Finds the event of a moment in the histories that Temporal still has.
 * @param endedAt ms since 1970 UTC, when the moment ended: only runs that lived then are read
 * @returns null when no run that Temporal still has holds it
 */
export async function locateMoment(
  client: Client,
  reality: string,
  {
    being,
    moment,
    endedAt,
  }: { readonly being: BeingName; readonly moment: MomentId; readonly endedAt: number },
): Promise<MomentPlace | null> {
  const workflowId = beingWorkflowId(reality, being)
  const query = `WorkflowId = "${workflowId}"`
  for await (const { runId, startTime, closeTime } of client.workflow.list({ query })) {
    const livedThen =
      startTime.getTime() <= endedAt + CLOCKS_MS && (closeTime?.getTime() ?? Infinity) >= endedAt - CLOCKS_MS
    if (!livedThen) continue
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory()
    await decodeHistory(client, { workflowId, history })
    const eventId = eventOfMoment(history, moment)
    if (eventId !== null) return { workflowId, runId, eventId }
  }
  return null
}

/** The clocks of Temporal and of Postgres may differ by so much. */
const CLOCKS_MS = 60_000
