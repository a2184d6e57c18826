import type { temporal } from '@temporalio/proto'
import type { History } from '@treeos/host'
import { momentsOfEvents, payloadText } from './temporal-history.ts'

type HistoryEvent = temporal.api.history.v1.IHistoryEvent

/** A history that no server writes. */
export interface MalformedHistory {
  /** number of the moment under way before that event; 0 when there is no event */
  readonly n: number
  readonly why: string
}

/**
 * Checks what every history of a run has in common: numbers without gaps, events that follow each other, each
 * command once, and references to earlier events that are what they are referred to as. The SDK takes this
 * for granted: some other histories stop its replay for ever.
 * @returns the first event that does not fit; null when all do
 */
export function malformedAt(history: History): MalformedHistory | null {
  const events = history.events ?? []
  const moments = momentsOfEvents(history)
  if (events.length === 0) return { n: 0, why: 'it has no event' }
  const known = new Set<string>()
  for (const [i, event] of events.entries()) {
    const command = commandIn(event)
    // Named here: a task may hold the commands of several moments, and what refers to the task after it comes
    // later.
    const isAgain = command !== null && known.has(command)
    if (command !== null) known.add(command)
    const why = isAgain ? `holds ${command} again` : eventFault(event, i, events)
    if (why !== null) return { n: moments[Math.max(0, i - 1)] ?? 0, why: `event ${i + 1} ${why}` }
  }
  return null
}

/** What an event holds that a run holds once: its commands count their timers and activities. */
function commandIn(event: HistoryEvent): string | null {
  const { markerRecordedEventAttributes: marker, activityTaskScheduledEventAttributes: activity } = event
  if (event.timerStartedEventAttributes != null) return `timer ${event.timerStartedEventAttributes.timerId}`
  if (activity != null) return `activity ${activity.activityId}`
  if (marker?.markerName !== 'core_local_activity') return null
  const seq = /^\{"seq":(\d+)/.exec(payloadText(marker.details?.data?.payloads?.[0]?.data))?.[1]
  return seq === undefined ? null : `local activity ${seq}`
}

function eventFault(event: HistoryEvent, i: number, events: readonly HistoryEvent[]): string | null {
  if (Number(event.eventId ?? 0) !== i + 1) return `has the number ${event.eventId}`
  const isStart = event.workflowExecutionStartedEventAttributes != null
  if (isStart !== (i === 0)) return isStart ? 'starts the run again' : 'does not start the run'
  if (i === 0 && !event.workflowExecutionStartedEventAttributes?.workflowType?.name)
    return 'names no type of workflow'
  const before = events[i - 1]
  const isInTask = before?.workflowTaskStartedEventAttributes != null
  if (isInTask && !endsTask(event)) return 'comes within a workflow task'
  return faultOfReferences(event, i, events)
}

const endsTask = (event: HistoryEvent): boolean =>
  event.workflowTaskCompletedEventAttributes != null ||
  event.workflowTaskFailedEventAttributes != null ||
  event.workflowTaskTimedOutEventAttributes != null ||
  event.workflowExecutionTerminatedEventAttributes != null ||
  event.workflowExecutionTimedOutEventAttributes != null

/** By the attributes of an event and their field: the attributes that the earlier event has. */
const REFERENCES: Readonly<Record<string, Readonly<Record<string, keyof HistoryEvent>>>> = {
  ...ofTask('workflowTaskStarted', 'scheduledEventId', 'workflowTaskScheduledEventAttributes'),
  ...ofTask('workflowTaskCompleted', 'startedEventId', 'workflowTaskStartedEventAttributes'),
  ...ofTask('workflowTaskFailed', 'startedEventId', 'workflowTaskStartedEventAttributes'),
  ...ofTask('activityTaskStarted', 'scheduledEventId', 'activityTaskScheduledEventAttributes'),
  ...ofTask('activityTaskCompleted', 'scheduledEventId', 'activityTaskScheduledEventAttributes'),
  ...ofTask('activityTaskFailed', 'scheduledEventId', 'activityTaskScheduledEventAttributes'),
  ...ofTask('timerFired', 'startedEventId', 'timerStartedEventAttributes'),
  ...ofTask('timerCanceled', 'startedEventId', 'timerStartedEventAttributes'),
}

function ofTask(event: string, field: string, to: keyof HistoryEvent) {
  return { [`${event}EventAttributes`]: { [field]: to } }
}

function faultOfReferences(event: HistoryEvent, i: number, events: readonly HistoryEvent[]): string | null {
  for (const [name, attributes] of Object.entries(event)) {
    if (!name.endsWith('Attributes') || typeof attributes !== 'object' || attributes === null) continue
    const fields = {
      ...REFERENCES[name],
      workflowTaskCompletedEventId: 'workflowTaskCompletedEventAttributes',
    }
    for (const [field, to] of Object.entries(fields)) {
      const id = Number((attributes as Record<string, unknown>)[field] ?? 0)
      if (id === 0) continue // not set: these events do not refer to any
      const earlier = id <= i ? events[id - 1] : undefined
      if (earlier?.[to as keyof HistoryEvent] == null)
        return `refers to event ${id}, which is not what it is said to be`
    }
  }
  return null
}
