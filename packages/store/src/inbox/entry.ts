import { isJsonObject, type Json, type MomentId, type Wake } from '@treeos/core'
import type { Selectable } from 'kysely'
import { wakeOf } from '../ledger/encode-wake.ts'
import type { InboxTable } from '../sql/schema.ts'

/** An inbox row: a wake, and who claimed and closed it. */
export interface InboxEntry extends Wake {
  /** ms since 1970 UTC */
  readonly at: number
  readonly claimedBy: MomentId | null
  readonly closedBy: string | null
  /** it tells of a failure or a limit, and needs no answer */
  readonly isNotice: boolean
  /** how many equal notices, or changes, this entry stands for */
  readonly times: number
  /** ms since 1970 UTC, when the last of them came; equals `at` while there is one */
  readonly latest: number
}

export function entryOf(row: Selectable<InboxTable>): InboxEntry {
  const wake = wakeOf(row)
  return {
    ...wake,
    content: toldOnce(row, wake.content),
    at: row.at.getTime(),
    claimedBy: row.claimed_by,
    closedBy: row.closed_by,
    isNotice: row.notice !== null,
    times: row.times,
    latest: (row.latest ?? row.at).getTime(),
  }
}

/** A wake by change that stands for several changes says so: its content tells of the first one only. */
function toldOnce({ kind, id, notice, times }: Selectable<InboxTable>, stored: Json): Json {
  const isChange = kind === 'event' && notice === null && id.startsWith('change/')
  if (times === 1 || !isChange || !isJsonObject(stored)) return stored
  const summary = `${times} changes woke the being together. Only the first is named here: what holds now is in the world.`
  return { ...stored, changes: times, summary }
}
