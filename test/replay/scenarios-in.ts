/**
 * The scenarios that a recorded history holds, in words. Each is something that the workflow's code comes by:
 * how a run begins and ends, what wakes it, and for each moment who decides, by which way, with what outcome.
 */
import type { History } from '@treeos/host'

/** A worker without the code of a moment leaves it to another one. */
export const HANDED_ON = 'an opening: left to a worker that has its code'
/** Ends of a workflow of the host that a being calls. */
export const CALLED_ENDS = ['completes', 'fails', 'is cancelled'].map((end) => `a child: shipOrder ${end}`)

type Event = NonNullable<History['events']>[number]
type Json = Record<string, unknown>

export function scenariosIn({ events }: History): Set<string> {
  const all = events ?? []
  return new Set([...beginning(all), ...ending(all), ...disturbances(all), ...momentsIn(all)])
}

function beginning([started]: readonly Event[]): string[] {
  const attributes = started?.workflowExecutionStartedEventAttributes
  const [input] = decode(attributes?.input)
  const life = input?.life as Json | undefined
  if (life === undefined) return ['a run: the first of a life']
  const idle = life.idle as Json | undefined
  return [
    life.rests === true ? 'a run: begins at rest' : 'a run: begins with wakes that wait',
    ...(idle === undefined
      ? []
      : [`a run: begins with idle time ${idle.armed === true ? 'armed' : 'spent'}`]),
    ...(life.silentMs === undefined ? [] : ['a run: begins within a silence']),
  ]
}

function ending(events: readonly Event[]): string[] {
  const last = events.at(-1)
  if (last?.workflowExecutionContinuedAsNewEventAttributes) {
    const [next] = decode(last.workflowExecutionContinuedAsNewEventAttributes.input)
    return [
      (next?.life as Json | undefined)?.rests === true ? 'a run: ends at rest' : 'a run: ends when full',
    ]
  }
  if (last?.workflowExecutionTerminatedEventAttributes) return ['a run: is terminated']
  if (last?.workflowExecutionCompletedEventAttributes) return ['a run: completes']
  if (last?.workflowExecutionCanceledEventAttributes) return ['a run: is cancelled']
  return []
}

/** What comes to a run from outside of its moments. */
function disturbances(events: readonly Event[]): string[] {
  const found: string[] = []
  let timers = 0
  for (const event of events) {
    if (event.timerStartedEventAttributes) timers += 1
    if (event.timerCanceledEventAttributes) found.push('a timer: is broken by a wake')
    if (event.timerFiredEventAttributes) found.push('a timer: passes')
    if (event.workflowTaskFailedEventAttributes) found.push('a task: fails')
    if (event.workflowTaskTimedOutEventAttributes) found.push('a task: comes late')
    if (event.activityTaskTimedOutEventAttributes) found.push('an activity: times out')
    const completed = event.childWorkflowExecutionCompletedEventAttributes
    const failed = event.childWorkflowExecutionFailedEventAttributes
    const cancelled = event.childWorkflowExecutionCanceledEventAttributes
    if (completed) found.push(`a child: ${completed.workflowType?.name} completes`)
    if (failed) found.push(`a child: ${failed.workflowType?.name} fails`)
    if (cancelled) found.push(`a child: ${cancelled.workflowType?.name} is cancelled`)
    const signal = event.workflowExecutionSignaledEventAttributes
    if (signal && signal.signalName !== 'wake') found.push(`a signal: ${signal.signalName}`)
    const local = localIn(event)
    if (local && !MOMENT.has(local.type)) found.push(`a local activity: ${local.type}`)
  }
  if (timers > 1) found.push('timers: several in a run')
  return found
}

/** Those of a moment, and the one that begins a life. */
const MOMENT = new Set(['liveMoments', 'stampMoment', 'beginLife'])

interface Moment {
  readonly opened: Json
  readonly way: Set<string>
}

function momentsIn(events: readonly Event[]): string[] {
  const found: string[] = []
  let current: Moment | null = null
  let opened = 0
  for (const { event, local } of events.flatMap(stepsOf)) {
    const scheduled = event.activityTaskScheduledEventAttributes
    const value = local?.value
    if (current !== null) {
      if (scheduled) current.way.add(scheduled.activityType?.name === 'think' ? 'an activity' : 'an effect')
      if (event.startChildWorkflowExecutionInitiatedEventAttributes) current.way.add('a task')
      const attempt = event.activityTaskStartedEventAttributes?.attempt ?? 1
      if (attempt > 1) current.way.add('retries')
      if (event.activityTaskFailedEventAttributes || event.activityTaskTimedOutEventAttributes)
        current.way.add('a failure')
      if (value != null && local !== null && MOMENT.has(local.type) && 'record' in value) {
        found.push(describe(current, value))
        current = null
      }
    }
    const opening = local?.opening
    if (opening == null) continue
    if ('resting' in opening) {
      found.push('an opening: nothing waits')
      if (opening.idleSeconds != null) found.push('an opening: nothing waits, idle time runs')
      if (opening.cognition !== undefined) found.push('an opening: nothing waits for one who is inhabited')
    }
    if ('over' in opening) found.push('an opening: the being was ended')
    if ('elsewhere' in opening) found.push(HANDED_ON)
    if ('outdated' in opening) found.push('an opening: its code is gone')
    if ('moment' in opening) {
      opened += 1
      current = { opened: opening, way: new Set(local?.way) }
      found.push(...openings(opening, opened))
    }
  }
  return found
}

/** What the workflow was told at an opening. */
function openings(opened: Json, count: number): string[] {
  const found: string[] = []
  if (opened.asked != null) found.push('an opening: a role was asked for')
  if (opened.trigger !== undefined) found.push('an opening: with a trigger')
  if (opened.cut !== undefined) found.push('an opening: of a thread that was cut')
  if (opened.ended !== undefined) found.push('an opening: of one who was ended')
  if (opened.program !== undefined && count > 1) found.push('an opening: with another flow')
  const idle = opened.idle as Json | undefined
  if (idle !== undefined)
    found.push(`an opening: with idle time${idle.afresh === true ? ', counted again' : ''}`)
  return found
}

function describe({ opened, way }: Moment, stamped: Json): string {
  const who = opened.decided === true ? 'a person decided' : String(opened.cognition)
  const by = way.size === 0 ? 'nobody is asked' : [...way].sort().join(', ')
  const outcome = `${stamped.kind}${stamped.reason == null ? '' : ` ${stamped.reason}`}`
  return `a moment: ${who}; ${by}; ${outcome}`
}

/** What a local activity says of one moment. */
interface Local {
  readonly type: string
  /** how a moment ended; null when it did not */
  readonly value: Json | null
  /** what was opened, or that nothing was; null when nothing is said of that */
  readonly opening: Json | null
  /** what is known of the way of the opened moment */
  readonly way: readonly string[]
}

/**
 * An event; that of several moments once for each, and for what the activity stopped at: its opening, then
 * its end.
 */
function stepsOf(event: Event): { readonly event: Event; readonly local: Local | null }[] {
  const local = localIn(event)
  if (local === null || local.type !== 'liveMoments') return [{ event, local }]
  const { lived = [], stop } = (local.value ?? {}) as { lived?: Json[]; stop?: Json }
  const of = (opening: Json | null, value: Json | null, way: readonly string[] = []) => ({
    event: {} as Event,
    local: { ...local, opening, value, way },
  })
  return [
    ...lived.flatMap(({ opened, ended }, i) => [
      of(opened as Json, null, i === 0 ? ['lived by its worker'] : ['lived by its worker', 'after another']),
      of(null, ended as Json),
    ]),
    ...(stop === undefined ? [] : [of((stop.opened as Json) ?? stop, null, waysOf(stop.left as Json))]),
  ]
}

function waysOf(left: Json | undefined): string[] {
  if (left === undefined || left.begun === undefined) return []
  return [(left.begun as Json).lost === undefined ? 'handed over' : 'handed over when its call was lost']
}

function localIn(event: Event): Local | null {
  const marker = event.markerRecordedEventAttributes
  if (marker?.markerName !== 'core_local_activity') return null
  const [about] = decode(marker.details?.data)
  const [result] = decode(marker.details?.result)
  const value = (result?.value ?? null) as Json | null
  return { type: String(about?.activity_type), value, opening: null, way: [] }
}

const decode = (
  payloads: { payloads?: { data?: Uint8Array | null }[] | null } | null | undefined,
): (Json | undefined)[] =>
  (payloads?.payloads ?? []).map(({ data }) => JSON.parse(Buffer.from(data ?? []).toString('utf8')) as Json)
