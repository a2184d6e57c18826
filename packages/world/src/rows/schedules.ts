import {
  asJson,
  type BeingName,
  isJsonObject,
  isKey,
  type Json,
  type JsonObject,
  PRIORITIES,
  type Priority,
} from '@treeos/core'
import type { BeingRow } from './rows.ts'
import { ZONE_NAMES } from './zone-names.ts'

/** Namespace of the qualities that hold a being's schedules, one key a schedule. */
export const SCHEDULES = 'schedule'
/** Of one being. Each is a Schedule in Temporal. */
export const SCHEDULES_MAX = 16
const YEAR_SECONDS = 365 * 86_400
export const EVERY_SECONDS_MAX = YEAR_SECONDS

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof WEEKDAYS)[number]
/** Times of one day. */
export const TIMES_MAX = 24

/** Times of the calendar. */
export interface CalendarTimes {
  /** each as `HH:MM` */
  readonly at: readonly string[]
  /** left out: every day */
  readonly days?: readonly Weekday[]
  /** IANA name of the time zone; left out: that of the reality */
  readonly zone?: string
}

/** Wakes a being at a fixed interval, or at times of the calendar. */
export interface Schedule {
  readonly name: string
  readonly due: { readonly everySeconds: number } | CalendarTimes
  /** a wake that came due while nothing ran is left out, not made up for */
  readonly skipsMissed: boolean
  readonly priority: Priority
  /** sent with each wake; absent when the author gave none */
  readonly content?: Json
}

/**
 * The schedules of a being; a person has none, nor has a being that was ended. Malformed entries are skipped.
 */
export function schedulesOf({
  qualities,
  cognition,
  ended,
}: Pick<BeingRow, 'qualities' | 'cognition' | 'ended'>): Schedule[] {
  const kept = qualities[SCHEDULES]
  if (ended !== undefined || cognition.kind === 'human' || !isJsonObject(kept)) return []
  return Object.entries(kept).flatMap(([name, value]): Schedule[] => {
    if (!isKey(name) || !isJsonObject(value)) return []
    const { priority, content, missed } = value
    const due = dueIn(value)
    if (due === null || !isPriority(priority)) return []
    const skipsMissed = missed === 'skip'
    return [{ name, due, skipsMissed, priority, ...(content === undefined ? {} : { content }) }]
  })
}

function dueIn({ everySeconds, at, days, zone }: JsonObject): Schedule['due'] | null {
  if (at === undefined) return isEverySeconds(everySeconds) ? { everySeconds } : null
  if (!Array.isArray(at) || !at.every(isTimeOfDay)) return null
  if (days !== undefined && !(Array.isArray(days) && days.every(isWeekday))) return null
  if (zone !== undefined && !isZoneName(zone)) return null
  return { at, ...(days === undefined ? {} : { days }), ...(zone === undefined ? {} : { zone }) }
}

export const isTimeOfDay = (value: Json): value is string =>
  typeof value === 'string' && /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(value)

export const isWeekday = (value: Json): value is Weekday => WEEKDAYS.some((day) => day === value)

/** Whether there is a time zone of this IANA name. */
export const isZoneName = (value: Json): value is string => typeof value === 'string' && ZONE_NAMES.has(value)

const isEverySeconds = (value: Json | undefined): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= EVERY_SECONDS_MAX

export const isPriority = (value: Json | undefined): value is Priority =>
  typeof value === 'string' && Object.hasOwn(PRIORITIES, value)

/** The schedule as it stands in the row of a being, and in the arguments of `set-schedule`. */
export const storedSchedule = ({ due, skipsMissed, priority, content }: Schedule): JsonObject => ({
  ...(asJson(due) as JsonObject),
  ...(skipsMissed ? { missed: 'skip' } : {}),
  priority,
  ...(content === undefined ? {} : { content }),
})

/** Content of the wake that a schedule makes. */
export function scheduleContent(being: BeingName, { name, content }: Schedule): JsonObject {
  return { event: 'schedule', actor: `@${being}`, name, ...(content === undefined ? {} : { content }) }
}
