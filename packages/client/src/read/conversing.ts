import { type BeingName, type Json, type OutcomeKind, stanceOf } from '@treeos/core'
import type { Presence } from '@treeos/reality'
import { findOutcomeOfWake, type InboxEntry, listChain, type StoredOutcome } from '@treeos/store'
import { toldContent } from '@treeos/world'
import { pastsOpenTo } from './past-access.ts'
import { see } from './see.ts'
import type { SeeConnection } from './seeing.ts'
import { type ThreadView, thread } from './threads.ts'

/** What was said in a thread, or what woke a being in it. */
export interface ThreadLine {
  readonly id: string
  /** ISO 8601, UTC */
  readonly at: string
  /** null where no being spoke */
  readonly from: string | null
  readonly to: string
  readonly content: Json
  readonly inReplyTo: string | null
  /** it tells of a failure or a limit */
  readonly notice: boolean
  readonly isOpen: boolean
  /** the moment that it woke; null while there is none */
  readonly moment: {
    readonly n: number
    readonly outcome: OutcomeKind
    /** the code of a failure, a short name of a skip; left out where the kind says all */
    readonly reason?: string
    /** of a failure */
    readonly message?: string
  } | null
}

export interface Conversation extends ThreadView {
  /** oldest first */
  readonly lines: readonly ThreadLine[]
  /** lines between beings whose past the person may not look into, and lines that are older than those shown */
  readonly hidden: number
}

const LINES_MAX = 500

/**
 * A thread as a person may read it. Both gates decide whether it sees the thread at all. Of its lines it reads those that a
 * being whose past is open to it said or was told.
 * @throws {TreeosError} as `see`
 */
export async function converse(at: SeeConnection, as: BeingName, id: string): Promise<Conversation> {
  await see(at, as, `thread:${id}`)
  const entries = (await listChain(at.db, id)).filter(({ kind }) => kind !== 'act')
  const isOpen = pastsOpenTo(at, as)
  const mine: InboxEntry[] = []
  for (const entry of entries) {
    const { being, caller } = entry
    if ((await isOpen(being)) || (caller !== null && (await isOpen(caller.name)))) mine.push(entry)
  }
  const shown = mine.slice(-LINES_MAX)
  const lines = await Promise.all(shown.map(async (entry) => lineOf(at, entry, await isOpen(entry.being))))
  return { ...(await thread(at.db, id)), lines, hidden: entries.length - shown.length }
}

async function lineOf({ db }: Presence, entry: InboxEntry, isPastOpen: boolean): Promise<ThreadLine> {
  const outcome = isPastOpen ? await findOutcomeOfWake(db, entry.id) : null
  return {
    id: entry.id,
    at: new Date(entry.at).toISOString(),
    from: entry.caller === null ? null : stanceOf(entry.caller.name),
    to: stanceOf(entry.being),
    content: toldContent(entry),
    inReplyTo: entry.inReplyTo,
    notice: entry.isNotice,
    isOpen: entry.closedBy === null,
    moment: outcome === null ? null : endOf(outcome),
  }
}

const endOf = ({ n, kind, reason, detail }: StoredOutcome): NonNullable<ThreadLine['moment']> => ({
  n,
  outcome: kind,
  ...(reason === null ? {} : { reason }),
  ...(detail === null ? {} : { message: detail }),
})
