import type { Client, WorkflowExecutionInfo } from '@temporalio/client'
import type { temporal } from '@temporalio/proto'
import type { Attested, OpenedMoment, StampedMoment, ThinkInput } from '@treeos/activities'
import { type BeingName, isJsonObject, type Json } from '@treeos/core'
import { beingWorkflowId } from '@treeos/workflows'

export type History = temporal.api.history.v1.IHistory
type Event = temporal.api.history.v1.IHistoryEvent
type Payloads = temporal.api.common.v1.IPayloads | null | undefined

export interface Run {
  readonly workflowId: string
  readonly runId: string
  readonly history: History
}

/** Every run of a being that Temporal still has, oldest first. */
export async function fetchRuns(client: Client, reality: string, being: BeingName): Promise<Run[]> {
  const workflowId = beingWorkflowId(reality, being)
  const found: WorkflowExecutionInfo[] = []
  for await (const info of client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) found.push(info)
  found.sort((a, b) => a.startTime.getTime() - b.startTime.getTime())
  return Promise.all(
    found.map(async ({ runId }) => ({
      workflowId,
      runId,
      history: await client.workflow.getHandle(workflowId, runId).fetchHistory(),
    })),
  )
}

/** A command as history has it. A local activity's arguments are not in history: their digest is in its result. */
export interface RecordedCommand {
  readonly kind: 'activity' | 'local' | 'timer' | 'continue'
  readonly name: string
  /** JSON text of what it carries; of a local activity the digest of its arguments */
  readonly carries: string
}

/** What a history says that the workflow asked for, in order. */
export function recordedCommands({ events }: History): RecordedCommand[] {
  return (events ?? []).flatMap((event): RecordedCommand[] => {
    const scheduled = event.activityTaskScheduledEventAttributes
    if (scheduled) {
      return [
        { kind: 'activity', name: scheduled.activityType?.name ?? '', carries: jsonArray(scheduled.input) },
      ]
    }
    const local = localActivity(event)
    if (local) return [{ kind: 'local', name: local.type, carries: local.result.args }]
    const timer = event.timerStartedEventAttributes?.startToFireTimeout
    if (timer) {
      const ms = Number(timer.seconds ?? 0) * 1000 + (timer.nanos ?? 0) / 1e6
      return [{ kind: 'timer', name: '', carries: JSON.stringify([ms]) }]
    }
    const next = event.workflowExecutionContinuedAsNewEventAttributes
    return next ? [{ kind: 'continue', name: '', carries: jsonArray(next.input) }] : []
  })
}

/** What a history attests of one moment. */
export interface AttestedMoment {
  readonly opened: OpenedMoment
  /** null where no mind was asked */
  readonly thought: ThinkInput | null
  /** null while the moment is under way */
  readonly stamped: StampedMoment | null
}

/** The moments of one run, in order. */
export function attestedMoments({ events }: History): AttestedMoment[] {
  const moments: { opened: OpenedMoment; thought: ThinkInput | null; stamped: StampedMoment | null }[] = []
  for (const event of events ?? []) {
    const local = localActivity(event)
    if (local?.type === 'openMoment' && local.result.value !== null) {
      moments.push({ opened: local.result.value as OpenedMoment, thought: null, stamped: null })
    }
    const current = moments.at(-1)
    if (current === undefined) continue
    if (local?.type === 'stampMoment') current.stamped = local.result.value as StampedMoment
    const scheduled = event.activityTaskScheduledEventAttributes
    if (scheduled?.activityType?.name === 'think') {
      current.thought = (JSON.parse(jsonArray(scheduled.input)) as [ThinkInput])[0]
    }
  }
  return moments
}

/** A finished local activity: Temporal keeps it as a marker with its result. */
function localActivity(event: Event): { type: string; result: Attested<unknown> } | null {
  const marker = event.markerRecordedEventAttributes
  if (marker?.markerName !== 'core_local_activity') return null
  const about = decode(marker.details?.data)[0]
  const result = decode(marker.details?.result)[0]
  if (!isJsonObject(about) || !isJsonObject(result)) return null
  return { type: String(about.activity_type), result: result as unknown as Attested<unknown> }
}

function decode(payloads: Payloads): Json[] {
  return (payloads?.payloads ?? []).map(
    (payload) => JSON.parse(Buffer.from(payload.data ?? []).toString('utf8')) as Json,
  )
}

/** The very bytes of a command's values, as one JSON array. */
function jsonArray(payloads: Payloads): string {
  return `[${(payloads?.payloads ?? []).map((payload) => Buffer.from(payload.data ?? []).toString('utf8')).join(',')}]`
}
