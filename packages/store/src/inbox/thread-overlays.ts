import type { BeingName, Digest } from '@treeos/core'
import type { Db } from '../sql/database.ts'

/** That the overlay of a thread changed. */
export interface OverlayChange {
  readonly tier: 'thread'
  /** salted; null: it was taken away */
  readonly commitment: Digest | null
  readonly by: BeingName
  readonly at: Date
}

/**
 * Records that the overlay of a thread was set or taken away. The next moment of the thread is the first that
 * it concerns.
 */
export async function recordOverlayChange(
  db: Db,
  change: {
    readonly thread: string
    readonly commitment: Digest | null
    readonly handle: string | null
    readonly by: BeingName
  },
): Promise<OverlayChange> {
  const { commitment, by, at } = await db
    .insertInto('overlay_change')
    .values({ ...change, tier: 'thread' })
    .returning(['commitment', 'by', 'at'])
    .executeTakeFirstOrThrow()
  return { tier: 'thread', commitment, by, at }
}

/** The changes of the overlay of a thread, oldest first. */
export const listOverlayChanges = (db: Db, thread: string): Promise<OverlayChange[]> =>
  db
    .selectFrom('overlay_change')
    .select(['tier', 'commitment', 'by', 'at'])
    .where('thread', '=', thread)
    .orderBy('id')
    .execute()
