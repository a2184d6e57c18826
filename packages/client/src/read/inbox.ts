import {
  type BeingName,
  type Json,
  type Priority,
  priorityName,
  quote,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import { authorizeActingAs, type Presence } from '@treeos/reality'
import { findEntry, type InboxEntry, listOpenSummons } from '@treeos/store'
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
  /** its words come from outside; left out for all others */
  readonly outside?: true
  readonly latest?: string
}

/** One page of an inbox. */
export interface InboxPage {
  readonly items: InboxView[]
  /** the correlation of the last one, to give as `after`; null: no more wait */
  readonly next: string | null
}

/**
 * What waits for a being's answer or to be read, oldest first.
 * @throws {TreeosError} BEING_NOT_FOUND, FORBIDDEN when the person may not act as the being
 */
export async function inbox(at: Presence, as: BeingName): Promise<InboxView[]> {
  await authorizeActingAs(at, as)
  return (await listOpenSummons(at.db, as)).map(describeInboxEntry)
}

/** The same, page by page. @throws {TreeosError} INVALID_INPUT when `after` names no entry of this inbox; as {@link inbox} */
export async function inboxPage(
  at: Presence,
  as: BeingName,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<InboxPage> {
  await authorizeActingAs(at, as)
  if (after !== undefined && (await findEntry(at.db, after))?.being !== as)
    throw new TreeosError(
      'INVALID_INPUT',
      `${quote(after)} is not an entry of this inbox, so nothing comes after it`,
    )
  const entries = await listOpenSummons(at.db, as, { after, limit: limit + 1 })
  const items = entries.slice(0, limit).map(describeInboxEntry)
  return { items, next: entries.length > limit ? (items.at(-1)?.correlation ?? null) : null }
}

/** An entry as its person is shown it. */
export function describeInboxEntry(entry: InboxEntry): InboxView {
  return {
    correlation: entry.id,
    from: entry.caller === null ? null : stanceOf(entry.caller.name),
    content: toldContent(entry),
    at: new Date(entry.at).toISOString(),
    priority: priorityName(entry.priority),
    ...(entry.isNotice ? { notice: true } : {}),
    ...(entry.outside === true ? { outside: true } : {}),
    ...(entry.times === 1 ? {} : { times: entry.times, latest: new Date(entry.latest).toISOString() }),
  }
}
