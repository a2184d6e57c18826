import type { OpenTime } from './context.ts'

/** Hour and weekday in the reality's zone: recorded, because time-zone tables change. */
export function openTime(openedAt: number, zone: string): OpenTime {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hour: 'numeric',
    hourCycle: 'h23',
    weekday: 'short',
  })
    .formatToParts(openedAt)
    .reduce((all, part) => all.set(part.type, part.value), new Map<string, string>())
  return {
    openedAt,
    zone,
    hour: Number(parts.get('hour')),
    dayOfWeek: WEEKDAYS.indexOf(parts.get('weekday') ?? ''),
  }
}
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
