import {
  type BeingName,
  mendedBy,
  parseCall,
  parseStance,
  quote,
  readPath,
  requireContent,
  stanceOf,
  TreeosError,
} from '@treeos/core'
import { findEntry, type InboxEntry } from '@treeos/store'
import type { Connection } from './connection.ts'
import { type SummonRequest, type SummonResult, sendAndWait } from './summon.ts'

/**
 * Answers an open entry of a person's inbox, and closes it. The answer to a notice goes to the being that it
 * tells of.
 * @throws {TreeosError} CORRELATION_NOT_FOUND; RESOURCE_CONFLICT when it was answered before
 */
export async function reply(
  at: Connection,
  request: Pick<
    SummonRequest,
    'content' | 'as' | 'expectReply' | 'outside' | 'waitSeconds' | 'requireReply' | 'key' | 'signal'
  > & {
    readonly correlation: string
  },
): Promise<SummonResult> {
  const entry = await findEntry(at.db, request.correlation)
  if (entry === null || entry.being !== request.as || entry.kind === 'act') {
    throw new TreeosError(
      'CORRELATION_NOT_FOUND',
      `the inbox of ${stanceOf(request.as)} has no summon ${quote(request.correlation)}`,
      mendedBy({ name: 'list-inbox' }),
    )
  }
  const about = beingOfNotice(entry)
  const { expectReply } = request
  const call = parseCall({
    verb: 'summon',
    content: requireContent(request.content, 'content'),
    ...(about === null ? {} : { target: stanceOf(about) }),
    ...(expectReply === undefined ? {} : { expectReply }),
  })
  const target = entry.caller?.name ?? about ?? request.as
  const { isNew: _isNew, ...answered } = await sendAndWait(at, request.as, call, {
    ...request,
    answers: request.correlation,
    target,
  })
  return answered
}

/** The being that a notice tells of: who gets the answer to it. Null for any other entry. */
function beingOfNotice({ isNotice, content }: InboxEntry): BeingName | null {
  const actor = isNotice ? readPath(content, ['actor']) : null
  return typeof actor === 'string' ? parseStance(actor) : null
}
