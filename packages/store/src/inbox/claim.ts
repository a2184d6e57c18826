import { type BeingName, isOfThread, type MomentId } from '@treeos/core'
import { type Selectable, sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import type { InboxTable } from '../sql/schema.ts'
import { entryOf, type InboxEntry } from './entry.ts'
import { throwStaleGeneration } from './life.ts'
import { type OverlayColumns, type OverlaySources, overlayColumns, sourcesOf } from './overlay-sources.ts'

/** A wake that a moment has claimed. */
export interface ClaimedWake extends InboxEntry {
  /** its thread was cut, so the moment ends at once */
  readonly cut: boolean
  /** the moment has an open record: this is a rerun */
  readonly opened: boolean
  /** somebody watches what the model of its being writes; left out when nobody does */
  readonly streamed?: true
  /** left out when it has no overlay */
  readonly overlays?: OverlaySources
}

/** A row of the inbox that a moment has claimed, and what else the claim tells. */
export type ClaimedRow = Selectable<InboxTable> &
  OverlayColumns & { cut: boolean; opened: boolean; streamed?: boolean }

/**
 * Claims the next wake for a moment: the one it has already claimed, else the first by priority, then by age.
 * @returns null when no wake waits
 * @throws {StaleGenerationError} when a younger life has begun
 */
export async function claimWithoutReading(
  db: Db,
  being: BeingName,
  moment: MomentId,
  generation: number,
): Promise<ClaimedWake | null> {
  const { rows } = await sql<ClaimedRow>`
    select c.*, exists (select from treeos.projection p where p.key = 'thread:' || c.root) as cut,
      exists (select from treeos.moment_open o where o.moment = c.claimed_by) as opened,
      ${overlayColumns}
    from treeos.claim(${being}, ${moment}, ${generation}) c`
    .execute(db)
    .catch(throwStaleGeneration)
  const [row] = rows
  return row === undefined ? null : claimedWake(row)
}

export function claimedWake(row: ClaimedRow): ClaimedWake {
  const entry = entryOf(row)
  const { cut, opened, streamed } = row
  const overlays = sourcesOf(row)
  const more = {
    opened,
    ...(overlays === undefined ? {} : { overlays }),
    ...(streamed === true ? { streamed } : {}),
  }
  // A wake by change also covers later changes from other threads, so it starts a thread of its own.
  if (cut && !isOfThread(entry)) return { ...entry, root: entry.id, cut: false, ...more }
  return { ...entry, cut, ...more }
}
