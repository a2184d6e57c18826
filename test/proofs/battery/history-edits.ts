/** Rewrites of the histories that Temporal keeps. */
import { WAKE_SIGNAL } from '@treeos/protocol'
import type { Random } from '../../faults/random.ts'
import { beingOfRun, copyOf, type Event, type Histories } from './histories.ts'
import type { Backup } from './stage.ts'

/** Runs that are changed; null: the run is gone. Empty when nothing is. */
export type Changed = ReadonlyMap<string, ReturnType<typeof copyOf> | null>
export type HistoryEdit = (histories: Histories, random: Random) => Changed

type Payload = { data?: Uint8Array | null; metadata?: unknown }

/** Payloads of an event at any depth, with the path to each. */
export function payloadsOf(value: unknown, path = ''): { path: string; payload: Payload }[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return []
  const own = value as Record<string, unknown>
  if (own.data instanceof Uint8Array) return [{ path, payload: own as Payload }]
  return Object.entries(own).flatMap(([name, item]) => payloadsOf(item, `${path}.${name}`))
}

const eventsOf = (history: { events?: Event[] | null }): Event[] => history.events ?? []

function anyRun(histories: Histories, random: Random, eventsMin = 1) {
  const runs = [...histories].filter(([, history]) => eventsOf(history).length >= eventsMin)
  const [run, history] = random.pick(runs)
  return { run, being: beingOfRun(run), history: copyOf(history) }
}

/** A doorbell: it carries nothing, and only says that somebody should look. */
const isBell = ({ workflowExecutionSignaledEventAttributes: signal }: Event): boolean =>
  signal?.signalName === WAKE_SIGNAL

/** The events that attest something, in their order. */
const attesting = (events: readonly Event[]): Event[] => events.filter((event) => !isBell(event))

/** What a history attests of a moment, in what its events carry. */
const ATTESTED = /"(args|programDigest|open|record|moment)":"([^"]+)"/g

/** An id or a digest that an event carries has another bit. */
export const flipDigest: HistoryEdit = (histories, random) => {
  const { run, history } = anyRun(histories, random)
  const attested = eventsOf(history).flatMap((event) => {
    const payload = resultOf(event)
    const text = Buffer.from(payload?.data ?? []).toString('latin1')
    return payload ? [...text.matchAll(ATTESTED)].map((match) => ({ payload, match })) : []
  })
  if (attested.length === 0) return new Map()
  const { payload, match } = random.pick(attested)
  const [, name = '', value = ''] = match
  const data = Buffer.from(payload.data ?? [])
  const at = match.index + name.length + 4 + random.between(0, value.length - 1)
  data[at] = (data[at] ?? 0) ^ (1 << random.between(0, 6))
  payload.data = data
  return new Map([[run, history]])
}

export const removeEvent: HistoryEdit = (histories, random) => {
  const { run, history } = anyRun(histories, random, 3)
  const events = eventsOf(history)
  const [gone] = events.splice(random.between(1, events.length - 2), 1)
  if (gone !== undefined && isBell(gone)) return new Map()
  history.events = renumbered(events)
  return new Map([[run, history]])
}

export const moveEvent: HistoryEdit = (histories, random) => {
  const { run, history } = anyRun(histories, random, 4)
  const events = eventsOf(history)
  const before = attesting(events)
  const [event] = events.splice(random.between(1, events.length - 1), 1)
  events.splice(random.between(1, events.length - 1), 0, event as Event)
  if (attesting(events).every((each, i) => each === before[i])) return new Map()
  history.events = renumbered(events)
  return new Map([[run, history]])
}

export const repeatEvent: HistoryEdit = (histories, random) => {
  const { run, history } = anyRun(histories, random, 3)
  const events = eventsOf(history)
  const at = random.between(1, events.length - 2)
  if (isBell(events[at] as Event)) return new Map()
  events.splice(at + 1, 0, copyOf({ events: [events[at] as Event] }).events?.[0] as Event)
  history.events = renumbered(events)
  return new Map([[run, history]])
}

/** Numbers without gaps, as somebody makes them who knows what is looked at. */
const renumbered = (events: Event[]): Event[] =>
  events.map((event, i) => Object.assign(event, { eventId: i + 1 }))

const resultOf = ({ markerRecordedEventAttributes: marker }: Event) =>
  marker?.markerName === 'core_local_activity' ? marker.details?.result?.payloads?.[0] : undefined

const endsMoment = (event: Event): boolean => Buffer.from(resultOf(event)?.data ?? []).includes('"record":"')

/** A local activity gave what another one gave. */
export const replaceResult: HistoryEdit = (histories, random) => {
  const { run, history } = anyRun(histories, random)
  const results = eventsOf(history).flatMap((event) => resultOf(event) ?? [])
  const others = [...histories.values()].flatMap((each) =>
    eventsOf(each).flatMap((event) => resultOf(event) ?? []),
  )
  if (results.length === 0) return new Map()
  const [mine, other] = [random.pick(results), random.pick(others)]
  if (Buffer.from(mine.data ?? []).equals(Buffer.from(other.data ?? []))) return new Map()
  mine.data = other.data ?? null
  return new Map([[run, history]])
}

/** A run has the history of another being's run. */
export const changeBeing: HistoryEdit = (histories, random) => {
  const [mine, other] = [anyRun(histories, random), anyRun(histories, random)]
  if (mine.being === other.being) return new Map()
  return new Map(
    random.chance(0.5)
      ? [
          [mine.run, other.history],
          [other.run, mine.history],
        ]
      : [[mine.run, other.history]],
  )
}

/** The newest events are gone, and with them the end of a moment at least. */
export const cutTail: HistoryEdit = (histories, random) => {
  const { run, history } = anyRun(histories, random, 4)
  const last = eventsOf(history).findLastIndex(endsMoment)
  if (last < 2) return new Map()
  history.events = eventsOf(history).slice(0, random.between(2, last))
  return new Map([[run, history]])
}

export const removeRun: HistoryEdit = (histories, random) => new Map([[anyRun(histories, random).run, null]])

/** A run that never was, like one that was, in one place otherwise. */
export const inventRun: HistoryEdit = (histories, random) => {
  const { run, history } = anyRun(histories, random)
  const others = [...histories.values()].flatMap((each) =>
    eventsOf(each).flatMap((event) => resultOf(event) ?? []),
  )
  const results = eventsOf(history).flatMap((event) => resultOf(event) ?? [])
  if (results.length === 0) return new Map()
  const [mine, other] = [random.pick(results), random.pick(others)]
  if (Buffer.from(mine.data ?? []).equals(Buffer.from(other.data ?? []))) return new Map()
  mine.data = other.data ?? null
  return new Map([[`${run}-forged-${random.between(1, 1_000_000)}`, history]])
}

/** The histories of some beings are as an older backup holds them. */
export const restoreHistories =
  (backups: readonly Backup[]): HistoryEdit =>
  (histories, random) => {
    const old = random.pick(backups.slice(0, -1)).histories
    const beings = new Set([...histories.keys()].map(beingOfRun).filter(() => random.chance(0.5)))
    const changed = [...histories].filter(
      ([run, history]) =>
        beings.has(beingOfRun(run)) && old.get(run)?.events?.length !== history.events?.length,
    )
    return new Map(changed.map(([run]) => [run, old.has(run) ? copyOf(old.get(run) as never) : null]))
  }
