import { LOCALE } from '../language/index.ts'

/**
 * Times as every page writes them, in the zone of the browser and by 24 hours: beside each other, times of two
 * kinds are hard to compare.
 */
const hourCycle = 'h23'

/** `17:05` */
export const CLOCK = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit', hourCycle })
/** `17:05:09` */
export const CLOCK_SECONDS = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'medium', hourCycle })
/** `Nov 30, 2026, 17:05:09 GMT+1` */
export const WHOLE_TIME = new Intl.DateTimeFormat(LOCALE, {
  dateStyle: 'medium',
  timeStyle: 'long',
  hourCycle,
})
const DAY = new Intl.DateTimeFormat(LOCALE, { month: 'short', day: 'numeric' })

/** `17:05`, on other days `Nov 29, 17:05`. */
export function clockOf(at: Date, clock: Intl.DateTimeFormat = CLOCK, now = new Date()): string {
  const isToday = at.toDateString() === now.toDateString()
  return isToday ? clock.format(at) : `${DAY.format(at)}, ${clock.format(at)}`
}
