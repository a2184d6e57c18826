/** A history that no server writes is named at the event that does not fit. */
import type { History } from '@treeos/host'
import { replayFromTemporal } from '@treeos/replay'
import { expect, it } from 'vitest'
import { openReplayer } from '../support/replays.ts'
import { readRecordings } from './recordings.ts'

type Event = NonNullable<History['events']>[number]

const isCommand = (event: Event): boolean =>
  event.markerRecordedEventAttributes?.markerName === 'core_local_activity' ||
  event.timerStartedEventAttributes != null ||
  event.activityTaskScheduledEventAttributes != null

it('an event that is there twice is named at its own place, although others of the same task come between', async () => {
  const replayer = await openReplayer()
  let tried = 0
  for (const { being, history, ...run } of await readRecordings()) {
    const events = history.events ?? []
    for (const [i, event] of events.entries()) {
      if (!isCommand(event)) continue
      const twice = [...events.slice(0, i + 1), event, ...events.slice(i + 1)]
      const renumbered = twice.map((one, at) => Object.assign({ ...one }, { eventId: at + 1 }))
      const changed = { ...run, history: { ...history, events: renumbered } }
      const [found] = await replayFromTemporal(replayer, being, [changed], null)
      expect(found?.field).toBe('form')
      expect(JSON.stringify(found)).toMatch(new RegExp(`event ${i + 2} holds .* again`))
      tried += 1
    }
  }
  expect(tried).toBeGreaterThan(100)
})
