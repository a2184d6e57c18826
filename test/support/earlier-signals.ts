import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import type { History } from '@treeos/host'

type Event = { eventId: string; eventType: string; [attributes: string]: unknown }

/** The signals of a history, as indexes of its events. */
export const signalsIn = ({ events }: History): number[] =>
  (events ?? []).flatMap((event, i) => (event.workflowExecutionSignaledEventAttributes == null ? [] : [i]))

/**
 * A history in which signals come earlier. The server writes such a history when a task ends although its
 * worker has not heard a signal that came with it.
 * @param tasksOf by how many tasks each signal comes earlier, by its index in the history; its place is then
 *   within that task, before the worker took it
 */
export function withEarlierSignals(history: History, tasksOf: (index: number) => number): History {
  const { events } = JSON.parse(historyToJSON(history)) as { events: Event[] }
  const starts = events.flatMap(({ eventType }, i) =>
    eventType.endsWith('WORKFLOW_TASK_STARTED') ? [i] : [],
  )
  const placeOf = (i: number) => {
    const tasks = tasksOf(i)
    const before = starts.filter((start) => start < i)
    const start = tasks === 0 ? undefined : before[Math.max(0, before.length - tasks)]
    return start === undefined ? i : start - 0.5
  }
  let next = Number.POSITIVE_INFINITY
  const placed = events.map((event, place) => ({ event, place }))
  for (const one of placed.toReversed()) {
    if (!one.event.eventType.endsWith('WORKFLOW_EXECUTION_SIGNALED')) continue
    next = Math.min(next, placeOf(one.place)) // a signal never comes after a later one
    one.place = next
  }
  return inOrder(placed)
}

/**
 * A history that ends with a continue-as-new, and with one more signal than its worker heard: it came while
 * the task that ended the run was late.
 * @param signal an event of any history
 */
export function withUnheardSignal(history: History, signal: unknown): History {
  const { events } = JSON.parse(historyToJSON(history)) as { events: Event[] }
  const start = events.findLastIndex(({ eventType }) => eventType.endsWith('WORKFLOW_TASK_STARTED'))
  const late = { ...(signal as Event), eventId: 'late' }
  return inOrder([...events.map((event, place) => ({ event, place })), { event: late, place: start - 0.5 }])
}

/** Numbers the events anew by their places. */
function inOrder(placed: readonly { readonly event: Event; readonly place: number }[]): History {
  const sorted = placed.toSorted((a, b) => a.place - b.place).map(({ event }) => event)
  const renamed = new Map(sorted.map(({ eventId }, i) => [eventId, String(i + 1)]))
  const text = JSON.stringify({ events: sorted }, (key, value) =>
    /eventId$/i.test(key) && typeof value === 'string' ? (renamed.get(value) ?? value) : value,
  )
  return historyFromJSON(JSON.parse(text))
}
