import type { OpenTime } from './context.ts'

/**
 * Hour, weekday and offset of the reality's time zone. They are recorded, because time-zone tables change.
 */
export function openTime(openedAt: number, zone: string): OpenTime & { readonly offset: number } {
  const minute = Math.floor(openedAt / 60_000)
  if (last?.minute !== minute || last.zone !== zone) last = { minute, zone, shown: shownAt(openedAt, zone) }
  return { openedAt, zone, ...last.shown }
}

/**
 * Clocks show another hour, and begin to run differently, at whole minutes only, so moments of one minute
 * share what is shown.
 */
let last: { readonly minute: number; readonly zone: string; readonly shown: ShownTime } | null = null
type ShownTime = Pick<ReturnType<typeof openTime>, 'hour' | 'dayOfWeek' | 'offset'>

function shownAt(openedAt: number, zone: string): ShownTime {
  const parts = formatOf(zone)
    .formatToParts(openedAt)
    .reduce((all, part) => all.set(part.type, part.value), new Map<string, string>())
  return {
    hour: Number(parts.get('hour')),
    dayOfWeek: WEEKDAYS.indexOf(parts.get('weekday') ?? ''),
    offset: offsetOf(parts.get('timeZoneName') ?? ''),
  }
}

/**
 * Minutes ahead of UTC, from `GMT`, `GMT+05:30` or `GMT-03:30`. The seconds of offsets before 1972 are left
 * out.
 */
function offsetOf(name: string): number {
  const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? []
  const ahead = Number(hours ?? 0) * 60 + Number(minutes ?? 0)
  return sign === '-' ? 0 - ahead : ahead
}

/** An instant as the clocks of a zone show it: ISO 8601 with the offset. */
export function localTime(at: number, offset: number): string {
  const ahead = Math.abs(offset)
  const two = (n: number) => String(n).padStart(2, '0')
  const shown = new Date(at + offset * 60_000).toISOString().slice(0, -1)
  return `${shown}${offset < 0 ? '-' : '+'}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`
}

/** Cached: a format is costly to make, and a reality keeps one zone. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hour: 'numeric',
    hourCycle: 'h23',
    weekday: 'short',
    timeZoneName: 'longOffset',
  })
  formats.set(zone, format)
  return format
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
