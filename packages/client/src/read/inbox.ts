import { type InboxEntry, listOpenSummons } from '@treeos/chain'
import { type BeingName, type Json, type Priority, priorityName, stanceOf } from '@treeos/core'
import { authorizeActingAs, type Presence } from '@treeos/reality'

/** An open entry of an inbox, as people see it. */
export interface InboxView {
  readonly correlation: string
  readonly from: string | null
  readonly content: Json
  /** ISO 8601, UTC */
  readonly at: string
  readonly priority: Priority
}

/**
 * The summons that a being has not answered yet, oldest first.
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
    content: entry.content,
    at: new Date(entry.at).toISOString(),
    priority: priorityName(entry.priority),
  }
}
