import type { OpenTime } from './context.ts'

/** Hour and weekday in the reality's time zone. They are recorded, because time-zone tables change. */
export function openTime(openedAt: number, zone: string): OpenTime {
  const parts = formatOf(zone)
    .formatToParts(openedAt)
    .reduce((all, part) => all.set(part.type, part.value), new Map<string, string>())
  return {
    openedAt,
    zone,
    hour: Number(parts.get('hour')),
    dayOfWeek: WEEKDAYS.indexOf(parts.get('weekday') ?? ''),
  }
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
  })
  formats.set(zone, format)
  return format
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
