import { ASKED_PREFIX, type BeingName, mendedBy, quote, stanceOf, TreeosError } from '@treeos/core'
import { authorizeActingAs, type Presence } from '@treeos/reality'
import { closeEntries, type InboxEntry, listEntries, listStandings } from '@treeos/store'
import { parkedIn } from './inbox.ts'

export interface CloseRequest {
  readonly as: BeingName
  /**
   * `read`: notices, answers and announcements, which nobody waits for, never what needs a decision;
   * `dismissed`: questions too, and whoever asked gets no answer
   */
  readonly how: 'read' | 'dismissed'
  /**
   * ids as `inbox` lists them; null for all notices, but not of beings that are parked still: these are
   * dismissed by id
   */
  readonly entries: readonly string[] | null
}

/**
 * Closes entries of an inbox without a moment. Nothing is told to anybody, and no fact is written.
 * @returns how many of them were open
 * @throws {TreeosError} CORRELATION_NOT_FOUND; INVALID_INPUT for a question, or a call that waits for a yes,
 *   that was only to be marked as read; then nothing was closed
 */
export async function closeInbox(
  at: Presence,
  { as, how, entries }: CloseRequest,
): Promise<{ closed: number }> {
  await authorizeActingAs(at, as)
  await requireClosable(at, as, entries ?? [], how)
  return { closed: await closeEntries(at.db, as, entries, how) }
}

async function requireClosable(
  at: Presence,
  as: BeingName,
  ids: readonly string[],
  how: CloseRequest['how'],
) {
  const found = await listEntries(
    at.db,
    ids.filter((id) => !id.includes('\0')), // no text of Postgres holds one
  )
  const entries = ids.map((id) => {
    const entry = found.get(id)
    if (entry !== undefined && entry.being === as && entry.kind !== 'act') return entry
    throw new TreeosError(
      'CORRELATION_NOT_FOUND',
      `the inbox of ${stanceOf(as)} has no entry ${quote(id)}`,
      mendedBy({ name: 'list-inbox' }),
    )
  })
  const open = how === 'read' ? entries.filter(({ closedBy }) => closedBy === null) : []
  const named = [...new Set(open.flatMap((entry) => parkedIn(entry) ?? []))]
  const standings = await listStandings(at.db, named)
  const parked = new Set(standings.flatMap(({ being, isParked }) => (isParked ? being : [])))
  for (const entry of open) requireRead(entry, parked)
}

/** @throws {TreeosError} INVALID_INPUT for an entry that needs a decision */
function requireRead(entry: InboxEntry, parked: ReadonlySet<BeingName>): void {
  const { id, kind, inReplyTo, expectReply, caller } = entry
  if (kind === 'summon' && inReplyTo === null && expectReply !== false) {
    const from = caller === null ? 'its sender' : stanceOf(caller.name)
    throw new TreeosError(
      'INVALID_INPUT',
      `${from} waits for an answer to ${quote(id)}`,
      mendedBy({ name: 'answer-entry' }),
    )
  }
  if (kind === 'event' && id.startsWith(ASKED_PREFIX))
    throw new TreeosError(
      'INVALID_INPUT',
      `${quote(id)} waits for your yes or no`,
      mendedBy({ name: 'decide-entry' }),
    )
  const being = parkedIn(entry)
  if (being !== null && parked.has(being))
    throw new TreeosError(
      'INVALID_INPUT',
      `${stanceOf(being)} is parked until its budget is decided on`,
      mendedBy({ name: 'unpark', of: stanceOf(being) }),
    )
}
