import { type BeingName, quote, stanceOf, TreeosError } from '@treeos/core'
import { authorizeActingAs, type Presence } from '@treeos/reality'
import { closeEntries, findEntry } from '@treeos/store'

export interface CloseRequest {
  readonly as: BeingName
  /** `read`: notices and answers, which nobody waits for; `dismissed`: questions too, and whoever asked gets no answer */
  readonly how: 'read' | 'dismissed'
  /** ids as `inbox` lists them; null for all notices */
  readonly entries: readonly string[] | null
}

/**
 * Closes entries of an inbox without a moment. Nothing is told to anybody, and no fact is written.
 * @returns how many of them were open
 * @throws {TreeosError} CORRELATION_NOT_FOUND; INVALID_INPUT for a question that was only to be marked as read; then nothing was
 *   closed
 */
export async function closeInbox(
  at: Presence,
  { as, how, entries }: CloseRequest,
): Promise<{ closed: number }> {
  await authorizeActingAs(at, as)
  for (const id of entries ?? []) await requireClosable(at, as, id, how)
  return { closed: await closeEntries(at.db, as, entries, how) }
}

async function requireClosable(at: Presence, as: BeingName, id: string, how: CloseRequest['how']) {
  const entry = await findEntry(at.db, id)
  if (entry === null || entry.being !== as || entry.kind === 'act') {
    throw new TreeosError(
      'CORRELATION_NOT_FOUND',
      `the inbox of ${stanceOf(as)} has no entry ${quote(id)}; \`treeos inbox\` lists them`,
    )
  }
  const isQuestion = entry.kind === 'summon' && entry.inReplyTo === null && entry.closedBy === null
  if (how === 'read' && isQuestion) {
    const from = entry.caller === null ? 'its sender' : stanceOf(entry.caller.name)
    throw new TreeosError(
      'INVALID_INPUT',
      `${from} waits for an answer to ${quote(id)}: \`treeos reply\` answers it, \`treeos inbox dismiss\` closes it without one`,
    )
  }
}
