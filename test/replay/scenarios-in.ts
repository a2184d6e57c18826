/**
 * The scenarios that a recorded history holds, in words. Each is something that the workflow's code comes by: how a run begins and
 * ends, what wakes it, and for each moment who decides, by which way, with what outcome.
 */
import type { History } from '@treeos/host'

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
    const signal = event.workflowExecutionSignaledEventAttributes
    if (signal && signal.signalName !== 'wake') found.push(`a signal: ${signal.signalName}`)
    const local = localIn(event)
    if (local && !MOMENT.has(local.type)) found.push(`a local activity: ${local.type}`)
  }
  if (timers > 1) found.push('timers: several in a run')
  return found
}

/** Those of a moment, and the one that begins a life. */
const MOMENT = new Set(['openMoment', 'stampMoment', 'finishMoment', 'beginLife'])

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
      if (local?.type === 'finishMoment') current.way.add('within its task')
      if (local?.isLived === true) current.way.add('lived by its worker')
      if (value?.unfinished !== undefined) current.way.add(`handed over as ${value.unfinished}`)
      if (value != null && local !== null && MOMENT.has(local.type) && 'record' in value) {
        found.push(describe(current, value))
        current = null
      }
    }
    const opening = local?.type === 'openMoment' ? value : local?.next
    if (opening == null) continue
    const when = local?.type === 'openMoment' ? 'an opening' : 'an opening at the end of the moment before'
    if ('resting' in opening) {
      found.push(`${when}: nothing waits`)
      if (opening.idleSeconds != null) found.push(`${when}: nothing waits, idle time runs`)
      if (opening.cognition !== undefined) found.push(`${when}: nothing waits for one who is inhabited`)
    }
    if ('over' in opening) found.push(`${when}: the being was ended`)
    if ('moment' in opening) {
      opened += 1
      current = { opened: opening, way: new Set() }
      if (local?.type === 'finishMoment') found.push(when)
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
  if (opened.state === 'again') found.push('an opening: again')
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

/** @property next what the end of a moment found the next one opened with */
interface Local {
  readonly type: string
  readonly value: Json | null
  readonly next: Json | null
  readonly lived: readonly Json[]
  readonly isLived?: true
}

/** An event, and with the end of a moment those moments that its worker lived after it, each as an end that opens the next one. */
function stepsOf(event: Event): { readonly event: Event; readonly local: Local | null }[] {
  const local = localIn(event)
  if (local === null || local.lived.length === 0) return [{ event, local }]
  const openings = [...local.lived.map(({ opened }) => opened as Json), local.next]
  const ends = [local.value, ...local.lived.map(({ ended }) => ended as Json)]
  return ends.map((value, i) => ({
    event,
    local: { ...local, value, next: openings[i] ?? null, ...(i === 0 ? {} : { isLived: true }) },
  }))
}

function localIn(event: Event): Local | null {
  const marker = event.markerRecordedEventAttributes
  if (marker?.markerName !== 'core_local_activity') return null
  const [about] = decode(marker.details?.data)
  const [result] = decode(marker.details?.result)
  const { value = null, next = null } = result ?? {}
  return {
    type: String(about?.activity_type),
    value: value as Json | null,
    next: ((next as Json | null)?.value as Json | undefined) ?? null,
    lived: ((next as Json | null)?.lived as Json[] | undefined) ?? [],
  }
}

const decode = (
  payloads: { payloads?: { data?: Uint8Array | null }[] | null } | null | undefined,
): (Json | undefined)[] =>
  (payloads?.payloads ?? []).map(({ data }) => JSON.parse(Buffer.from(data ?? []).toString('utf8')) as Json)
