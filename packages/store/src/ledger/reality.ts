import { ROOT_SPACE, spaceReel, taskQueueOf } from '@treeos/core'
import type { Kysely } from 'kysely'
import type { StoreDb } from '../sql/schema.ts'

export interface Reality {
  /** part of every genesis hash */
  readonly id: string
  readonly name: string
  /** IANA name; `time.hour` of a flow is in this zone */
  readonly timeZone: string
  /** the task queue of Temporal in which its beings wait */
  readonly taskQueue: string
}

/** The fact that says what a reality was made with, among the first of its root space. */
export const REALITY_MADE = { reel: spaceReel(ROOT_SPACE), kind: 'reality:made' } as const
export type RealityMade = Pick<Reality, 'name' | 'timeZone'>
/** The first fact of a fork that its origin has not: from then on it has a name of its own. */
export const REALITY_FORKED = { reel: REALITY_MADE.reel, kind: 'reality:forked' } as const
/** That the record was restored from a backup, so that all lives began anew. */
export const REALITY_RESTORED = { reel: REALITY_MADE.reel, kind: 'reality:restored' } as const

/** The one reality of this database; null when none was made yet. */
export async function findReality(db: Kysely<StoreDb>): Promise<Reality | null> {
  const row = await db
    .selectFrom('reality')
    .select(['id', 'name', 'time_zone', 'task_queue'])
    .executeTakeFirst()
  if (row === undefined) return null
  const { id, name, time_zone: timeZone, task_queue: taskQueue } = row
  return { id, name, timeZone, taskQueue: taskQueue ?? taskQueueOf(name) }
}

/**
 * Makes the reality of this database unless it has one. Several processes may call it at once.
 * @param db opened with `asOwner`
 */
export async function createReality(
  db: Kysely<StoreDb>,
  wanted: { name: string; timeZone: string; taskQueue?: string | undefined },
): Promise<{ reality: Reality; created: boolean }> {
  const made = await db
    .insertInto('reality')
    .values({ name: wanted.name, time_zone: wanted.timeZone, task_queue: wanted.taskQueue ?? null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  const reality = await findReality(db)
  if (reality === null) throw new Error('the reality was just made, but the database has none')
  return { reality, created: (made.numInsertedOrUpdatedRows ?? 0n) > 0n }
}
