import { type BeingName, type Json, type Priority, priorityName, stanceOf } from '@treeos/core'
import { authorizeActingAs, type Presence } from '@treeos/reality'
import { type InboxEntry, listOpenSummons } from '@treeos/store'
import { toldContent } from '@treeos/world'

/** An open entry of an inbox, as people see it. */
export interface InboxView {
  readonly correlation: string
  readonly from: string | null
  readonly content: Json
  /** ISO 8601, UTC */
  readonly at: string
  readonly priority: Priority
  /** true: it tells of a failure or a limit, and needs no answer; left out otherwise */
  readonly notice?: true
  /** how many equal notices it stands for, and when the last of them came; left out while it is one */
  readonly times?: number
  readonly latest?: string
}

/**
 * What waits for a being's answer or to be read, oldest first.
 * @throws {TreeosError} BEING_NOT_FOUND, FORBIDDEN when the person may not act as the being
 */
export async function inbox(at: Presence, as: BeingName): Promise<InboxView[]> {
  await authorizeActingAs(at, as)
  return (await listOpenSummons(at.db, as)).map(viewOf)
}

function viewOf(entry: InboxEntry): InboxView {
  return {
    correlation: entry.id,
    from: entry.caller === null ? null : stanceOf(entry.caller.name),
    content: toldContent(entry),
    at: new Date(entry.at).toISOString(),
    priority: priorityName(entry.priority),
    ...(entry.isNotice ? { notice: true } : {}),
    ...(entry.times === 1 ? {} : { times: entry.times, latest: new Date(entry.latest).toISOString() }),
  }
}
