import {
  type Caller,
  type Cognition,
  isJsonObject,
  type Json,
  type MomentId,
  type Wake,
  type WakeKind,
} from '@treeos/core'
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
  /** how many equal notices, or changes, this entry stands for */
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
    content: contentOf(row),
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
    ...(row.overlay === null ? {} : { overlay: row.overlay }),
    at: row.at.getTime(),
    claimedBy: row.claimed_by,
    closedBy: row.closed_by,
    isNotice: row.notice !== null,
    times: row.times,
    latest: (row.latest ?? row.at).getTime(),
  }
}

/** A wake by change that stands for several changes says so: its content tells of the first one only. */
function contentOf({ kind, id, notice, times, content }: Selectable<InboxTable>): Json {
  const stored = decodeJson(content) as Json
  if (
    times === 1 ||
    kind !== 'event' ||
    notice !== null ||
    !id.startsWith('change/') ||
    !isJsonObject(stored)
  )
    return stored
  const summary = `${times} changes woke the being together. Only the first is told here: what holds now is in the world.`
  return { ...stored, changes: times, summary }
}

function callerOf(row: Selectable<InboxTable>): Caller | null {
  if (row.caller === null) return null
  return { name: row.caller, role: row.caller_role, cognition: row.caller_cognition as Cognition }
}
