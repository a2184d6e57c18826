import { createHash } from 'node:crypto'
import type { ScheduleOptions, ScheduleSummary } from '@temporalio/client'
import type { ScheduleRef } from '@treeos/protocol'
import { type CalendarTimes, type Schedule, WEEKDAYS, type Weekday } from '@treeos/world'

/** A schedule of one being, as its row has it. */
export interface WantedSchedule extends ScheduleRef, Pick<Schedule, 'due' | 'skipsMissed'> {}

/** Temporal's minimum. */
const CATCHUP_MS_MIN = 10_000
const WEEK_MS = 7 * 86_400_000

/**
 * Of the ticks that Temporal missed, it makes up for those within this window. With one interval that is
 * exactly the last tick. Several may be within the window, as of a calendar: the first one starts, and while it
 * runs or its wake waits the others are skipped.
 */
export function catchupMs({ due, skipsMissed }: WantedSchedule): number {
  if (skipsMissed) return CATCHUP_MS_MIN
  return 'at' in due ? WEEK_MS : Math.max(1000 * due.everySeconds, CATCHUP_MS_MIN)
}

/** When a schedule is due, for Temporal. @param zone of the reality */
export function specOf(wanted: WantedSchedule, zone: string): ScheduleOptions['spec'] {
  if (!('at' in wanted.due)) return { intervals: [intervalOf(wanted, wanted.due)] }
  const { at, days = WEEKDAYS } = wanted.due
  return {
    timezone: wanted.due.zone ?? zone,
    calendars: at.map((time) => {
      const [hour, minute] = time.split(':').map(Number)
      return { hour: hour ?? 0, minute: minute ?? 0, dayOfWeek: days.map((day) => NAMES[day]) }
    }),
  }
}

const NAMES = {
  mon: 'MONDAY',
  tue: 'TUESDAY',
  wed: 'WEDNESDAY',
  thu: 'THURSDAY',
  fri: 'FRIDAY',
  sat: 'SATURDAY',
  sun: 'SUNDAY',
} as const satisfies Record<Weekday, string>

/**
 * Interval of a schedule in ms. Temporal counts from 1970, so each schedule has its own offset and not all
 * are due at once.
 */
function intervalOf({ being, name }: ScheduleRef, { everySeconds }: { readonly everySeconds: number }) {
  const hash = createHash('sha256').update(`${being}/${name}`).digest().readUInt32BE(0)
  return { every: everySeconds * 1000, offset: (hash % everySeconds) * 1000 }
}

/** Names when a schedule is due, to compare what is wanted with what Temporal has. */
export function keyOfWanted(wanted: WantedSchedule, zone: string): string {
  if (!('at' in wanted.due)) {
    const { every, offset } = intervalOf(wanted, wanted.due)
    return intervalKey(every, offset)
  }
  return calendarKey(wanted.due, zone)
}

const intervalKey = (every: number, offset: number) => `${every}+${offset}`

const calendarKey = ({ at, days = WEEKDAYS, zone }: CalendarTimes, zoneOfReality: string): string =>
  [zone ?? zoneOfReality, ...at.map((time) => `${time} ${namesOf(days)}`).sort()].join(', ')

const namesOf = (days: readonly Weekday[]): string => WEEKDAYS.filter((day) => days.includes(day)).join(' ')

/** The same of what Temporal has; a text that no schedule of ours has for what we would not make. */
export function keyOfSpec(spec: ScheduleSummary['spec']): string {
  const { every = 0, offset = 0 } = spec?.intervals?.[0] ?? {}
  const calendars = spec?.calendars ?? []
  if (calendars.length === 0) return intervalKey(every, offset)
  const days = new Map<string, Weekday>(WEEKDAYS.map((day) => [NAMES[day], day]))
  const times = calendars.map(({ hour, minute, dayOfWeek }) => {
    const time = [hour, minute].map((ranges) => String(ranges?.[0]?.start ?? 0).padStart(2, '0')).join(':')
    const between = (dayOfWeek ?? []).flatMap(({ start, end }) => daysBetween(days.get(start), days.get(end)))
    return `${time} ${namesOf(between)}`
  })
  return [spec?.timezone ?? '', ...times.sort()].join(', ')
}

/** Temporal may write several days as a range, in which a week begins with Sunday. */
function daysBetween(first: Weekday | undefined, last: Weekday | undefined): Weekday[] {
  if (first === undefined) return []
  const week = [...WEEKDAYS.slice(-1), ...WEEKDAYS.slice(0, -1)]
  const [from, to] = [week.indexOf(first), week.indexOf(last ?? first)]
  return to < from ? [first] : week.slice(from, to + 1)
}
