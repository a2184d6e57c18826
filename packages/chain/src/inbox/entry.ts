import type { Caller, Cognition, MomentId, Wake, WakeKind } from '@treeos/core'
import type { Selectable } from 'kysely'
import type { InboxTable } from '../sql/schema.ts'
import { decodeJson } from '../sql/stored-json.ts'

/** An inbox row: a wake, and who claimed and closed it. */
export interface InboxEntry extends Wake {
  /** ms since 1970 UTC */
  readonly at: number
  readonly claimedBy: MomentId | null
  readonly closedBy: string | null
  /** it tells of a failure or a limit, and needs no answer */
  readonly isNotice: boolean
  /** how many equal notices this entry stands for */
  readonly times: number
  /** ms since 1970 UTC, when the last of them came; equals `at` while there is one */
  readonly latest: number
}

export function entryOf(row: Selectable<InboxTable>): InboxEntry {
  return {
    id: row.id,
    being: row.being,
    kind: row.kind as WakeKind,
    priority: row.priority,
    caller: callerOf(row),
    content: decodeJson(row.content),
    root: row.root,
    inReplyTo: row.in_reply_to,
    askedRole: row.asked_role,
    hops: row.hops,
    continues: row.continues,
    cause: row.cause?.toString('hex') ?? null,
    ...(row.answers === null ? {} : { answers: row.answers }),
    ...(row.looks === 0 ? {} : { looks: row.looks }),
    ...(row.expect_reply ? {} : { expectReply: false }),
    ...(row.channel === null ? {} : { channel: row.channel }),
    at: row.at.getTime(),
    claimedBy: row.claimed_by,
    closedBy: row.closed_by,
    isNotice: row.notice !== null,
    times: row.times,
    latest: (row.latest ?? row.at).getTime(),
  }
}

function callerOf(row: Selectable<InboxTable>): Caller | null {
  if (row.caller === null) return null
  return { name: row.caller, role: row.caller_role, cognition: row.caller_cognition as Cognition }
}
