import { type Db, listThreads, threadOf } from '@treeos/chain'
import { quote, stanceOf, type Thread, TreeosError } from '@treeos/core'

/** A thread as people are told of it: one wake, and all that came of it. */
export interface ThreadView extends Pick<Thread, 'thread' | 'state' | 'wakes' | 'open' | 'acts' | 'depth'> {
  /** ISO 8601, UTC: of its first wake, and of its last */
  readonly began: string
  readonly moved: string
  /** stances of whoever was woken in it, or woke another */
  readonly participants: readonly string[]
}

/** The threads that are not over, the last moved first. With `all`, also those that are. */
export async function threads(db: Db, which: { last: number; all: boolean }): Promise<ThreadView[]> {
  return (await listThreads(db, which)).map(viewOf)
}

/** @throws {TreeosError} CORRELATION_NOT_FOUND */
export async function thread(db: Db, id: string): Promise<ThreadView> {
  const tally = await threadOf(db, id)
  if (tally !== null) return viewOf(tally)
  throw new TreeosError(
    'CORRELATION_NOT_FOUND',
    `no thread ${quote(id)} began in this reality; \`treeos thread list\` shows those that are not over`,
  )
}

function viewOf({ thread, state, wakes, open, acts, depth, began, moved, participants }: Thread): ThreadView {
  return {
    thread,
    state,
    began: new Date(began).toISOString(),
    moved: new Date(moved).toISOString(),
    wakes,
    open,
    acts,
    depth,
    participants: participants.map(stanceOf),
  }
}
