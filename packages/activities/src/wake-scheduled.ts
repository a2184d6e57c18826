import { enqueueUnlessWaiting, readClock } from '@treeos/chain'
import { newWake, PRIORITIES } from '@treeos/core'
import type { ScheduledInput } from '@treeos/protocol'
import { readerOf } from '@treeos/reality'
import { scheduleContent, schedulesOf } from '@treeos/world'
import type { BeatDeps } from './deps/beat-deps.ts'

/**
 * Wakes a being by its schedule, as its row has it now. While the wake before waits there is no other: the ticks that a
 * busy being missed are one. A rerun may find that its own wake is over and that more ticks have been due: Temporal has
 * skipped them, since this one was under way, and they are one wake as well.
 */
export async function wakeScheduled(
  deps: BeatDeps,
  { being, name, at }: ScheduledInput,
): Promise<{ accepted: boolean }> {
  const { db, ring } = deps
  const me = await readerOf(deps).being(being)
  const schedule = me === null ? undefined : schedulesOf(me).find((known) => known.name === name)
  if (schedule === undefined) return { accepted: false } // it was ended, and Temporal has yet to hear of it
  const idPrefix = `schedule/${being}/${name}/`
  const wakeOnce = (due: string) => {
    const id = `${idPrefix}${due}`
    const priority = PRIORITIES[schedule.priority]
    const content = scheduleContent(being, schedule)
    return enqueueUnlessWaiting(db, newWake({ id, being, kind: 'event', priority, content }), idPrefix)
  }
  const accepted =
    (await wakeOnce(at)) || (await wakeOnce(lastDue(at, schedule.everySeconds, await readClock(db))))
  if (accepted) ring([being])
  return { accepted }
}

/** When a schedule that was due at `at` was last due. @param now ms since 1970 UTC */
function lastDue(at: string, everySeconds: number, now: number): string {
  const first = Date.parse(at)
  const missed = Math.max(0, Math.floor((now - first) / (1000 * everySeconds)))
  return new Date(first + missed * 1000 * everySeconds).toISOString()
}
