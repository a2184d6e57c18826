import { type InboxEntry, listOpenSummons } from '@treeos/chain'
import { type BeingName, type Json, type Priority, priorityName, stanceOf } from '@treeos/core'
import { authorizeActingAs, type Presence } from './persons.ts'

/** An open entry of a person's inbox, as people are told of it. */
export interface InboxView {
  readonly correlation: string
  readonly from: string | null
  readonly content: Json
  /** ISO 8601, UTC */
  readonly at: string
  readonly priority: Priority
}

/** What a being still has to answer, oldest first. */
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
