import { newWake, PRIORITIES } from '@treeos/core'
import type { ScheduledInput } from '@treeos/protocol'
import { readerOf } from '@treeos/reality'
import { enqueueUnlessWaiting, readClock } from '@treeos/store'
import { scheduleContent, schedulesOf } from '@treeos/world'
import type { BeatDeps } from './deps.ts'
import { unlessRefused } from './moments/wake-idle.ts'

/**
 * Wakes a being by its schedule, with the settings that its row has now. While an earlier wake of the
 * schedule waits, it adds none, so the ticks that a busy being missed become one wake. A rerun may find that
 * its own wake is closed and that more ticks of an interval were due meanwhile. Temporal skipped those because
 * this one was running, so they become one more wake.
 */
export async function wakeScheduled(
  deps: BeatDeps,
  { being, name, at }: ScheduledInput,
): Promise<{ accepted: boolean }> {
  const { db, ring } = deps
  const me = await readerOf(deps).being(being)
  const schedule = me === null ? undefined : schedulesOf(me).find((known) => known.name === name)
  // it was removed, but Temporal's Schedule is not deleted yet
  if (schedule === undefined) return { accepted: false }
  if (me?.paused !== undefined) return { accepted: false } // what was due while it is paused is left out
  const idPrefix = `schedule/${being}/${name}/`
  const wakeOnce = (due: string) => {
    const id = `${idPrefix}${due}`
    const priority = PRIORITIES[schedule.priority]
    const content = scheduleContent(being, schedule)
    const wake = newWake({ id, being, kind: 'event', priority, content })
    return enqueueUnlessWaiting(db, wake, idPrefix).catch(unlessRefused(deps))
  }
  const { due } = schedule
  const accepted =
    (await wakeOnce(at)) ||
    ('everySeconds' in due && (await wakeOnce(lastDue(at, due.everySeconds, await readClock(db)))))
  if (accepted) ring([being])
  return { accepted }
}

/** The latest due time of a schedule that was due at `at`. @param now ms since 1970 UTC @returns ISO 8601 */
function lastDue(at: string, everySeconds: number, now: number): string {
  const first = Date.parse(at)
  const missed = Math.max(0, Math.floor((now - first) / (1000 * everySeconds)))
  return new Date(first + missed * 1000 * everySeconds).toISOString()
}
