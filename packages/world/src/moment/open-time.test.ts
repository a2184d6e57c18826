import { expect, it } from 'vitest'
import { localTime, openTime } from './open-time.ts'

it.each([
  ['UTC', '2026-11-22T21:45:00.000Z', '2026-11-22T21:45:00.000+00:00', 21, 0],
  ['Europe/Berlin', '2026-11-22T23:45:00.000Z', '2026-11-23T00:45:00.000+01:00', 0, 1],
  ['Europe/Berlin', '2026-07-22T21:45:00.000Z', '2026-07-22T23:45:00.000+02:00', 23, 3],
  ['Asia/Kolkata', '2026-11-22T21:45:00.000Z', '2026-11-23T03:15:00.000+05:30', 3, 1],
  ['America/St_Johns', '2026-11-22T01:00:00.000Z', '2026-11-21T21:30:00.000-03:30', 21, 6],
  ['Pacific/Kiritimati', '2026-11-22T21:45:00.000Z', '2026-11-23T11:45:00.000+14:00', 11, 1],
])('in %s the instant %s is shown as %s', (zone, instant, shown, hour, dayOfWeek) => {
  const time = openTime(Date.parse(instant), zone)
  expect(localTime(time.openedAt, time.offset)).toBe(shown)
  expect(time).toMatchObject({ hour, dayOfWeek, zone })
  expect(new Date(shown).toISOString()).toBe(instant)
})
