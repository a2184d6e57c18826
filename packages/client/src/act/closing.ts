import { ASKED_PREFIX, type BeingName, quote, stanceOf, TreeosError } from '@treeos/core'
import { authorizeActingAs, type Presence } from '@treeos/reality'
import { closeEntries, findEntry, listStandings } from '@treeos/store'
import { parkedIn } from '../read/inbox.ts'

export interface CloseRequest {
  readonly as: BeingName
  /** `read`: notices, answers and announcements, which nobody waits for, never what needs a decision; `dismissed`: questions too, and whoever asked gets no answer */
  readonly how: 'read' | 'dismissed'
  /** ids as `inbox` lists them; null for all notices, but not of beings that are parked still: these are dismissed by id */
  readonly entries: readonly string[] | null
}

/**
 * Closes entries of an inbox without a moment. Nothing is told to anybody, and no fact is written.
 * @returns how many of them were open
 * @throws {TreeosError} CORRELATION_NOT_FOUND; INVALID_INPUT for a question, or a call that waits for a yes, that was only to be marked
 *   as read; then nothing was closed
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
  const isQuestion =
    entry.kind === 'summon' &&
    entry.inReplyTo === null &&
    entry.expectReply !== false &&
    entry.closedBy === null
  if (how === 'read' && isQuestion) {
    const from = entry.caller === null ? 'its sender' : stanceOf(entry.caller.name)
    throw new TreeosError(
      'INVALID_INPUT',
      `${from} waits for an answer to ${quote(id)}: \`treeos reply\` answers it, \`treeos inbox dismiss\` closes it without one`,
    )
  }
  if (how !== 'read' || entry.kind !== 'event' || entry.closedBy !== null) return
  if (id.startsWith(ASKED_PREFIX))
    throw new TreeosError(
      'INVALID_INPUT',
      `${quote(id)} waits for your yes or no: \`treeos approve\` and \`treeos deny\` answer it, \`treeos inbox dismiss\` puts it aside`,
    )
  const parked = parkedIn(entry)
  if (parked !== null && (await isParked(at.db, parked)))
    throw new TreeosError(
      'INVALID_INPUT',
      `${stanceOf(parked)} is parked until its budget is decided on: \`treeos do ${stanceOf(parked)} resume\` lets it try again, \`treeos inbox dismiss\` closes the notice`,
    )
}

const isParked = async (db: Presence['db'], being: BeingName): Promise<boolean> =>
  (await listStandings(db, [being])).some((one) => one.isParked)
