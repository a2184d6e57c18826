import { enqueueUnlessWaiting, readRows } from '@treeos/chain'
import { PRIORITIES } from '@treeos/core'
import { type BeingRow, beingKey, scheduleContent, schedulesOf } from '@treeos/world'
import type { ScheduledInput } from './beats.ts'
import type { BeatDeps } from './deps.ts'

/**
 * Wakes a being by its schedule, as its row has it now. While the wake before waits there is no other: the ticks that a
 * busy being missed are one.
 */
export async function wakeScheduled(
  { db, reality, ring }: BeatDeps,
  { being, name, at }: ScheduledInput,
): Promise<{ accepted: boolean }> {
  const [row] = await readRows(db, reality.id, [beingKey(being)])
  const me = row?.state as unknown as BeingRow | null
  const schedule = me == null ? undefined : schedulesOf(me).find((known) => known.name === name)
  if (schedule === undefined) return { accepted: false } // it was ended, and Temporal has yet to hear of it
  const alike = `schedule/${being}/${name}/`
  const id = `${alike}${at}`
  const accepted = await enqueueUnlessWaiting(
    db,
    {
      id,
      being,
      kind: 'event',
      priority: PRIORITIES[schedule.priority],
      caller: null,
      content: scheduleContent(being, schedule),
      root: id,
      inReplyTo: null,
      askedRole: null,
      hops: 0,
      continues: 0,
      cause: null,
    },
    alike,
  )
  if (accepted) ring([being])
  return { accepted }
}
