import type { MomentId } from '@treeos/core'
import { sql } from 'kysely'
import { readClock } from '../sql/clock.ts'
import type { Db } from '../sql/database.ts'

/** Where a replay of all moments begins. */
export interface ReplayGround {
  /** ms since 1970 UTC, by Postgres */
  readonly begunAt: number
  /** the moment that ended last; null where none has */
  readonly newest: MomentId | null
}

/** What a replay of all moments found. */
export interface ReplayRun extends ReplayGround {
  readonly record: 'chain' | 'temporal' | 'both'
  readonly moments: number
  /** those that no person accepted */
  readonly differences: number
  readonly accepted: number
  /** those that may come from other extensions than the replay had */
  readonly elsewhere: number
  /** some of the moments that differ, as `@ann 3` */
  readonly differing: readonly string[]
}

export interface StoredReplayRun extends ReplayRun {
  /** the login of Postgres by which it ran */
  readonly login: string
  /** seconds since its end, by Postgres */
  readonly ageSeconds: number
}

export async function readReplayGround(db: Db): Promise<ReplayGround> {
  const last = await db
    .selectFrom('journal')
    .select('moment')
    .where('moment', 'is not', null)
    .orderBy('entry', 'desc')
    .limit(1)
    .executeTakeFirst()
  return { begunAt: await readClock(db), newest: last?.moment ?? null }
}

/** Keeps what a replay found. The login of workers may not. */
export async function recordReplay(db: Db, run: ReplayRun): Promise<void> {
  await sql`select treeos.record_replay(${JSON.stringify(run)}::jsonb)`.execute(db)
}

/** @returns null where no replay of all moments has ended */
export async function findLastReplay(db: Db): Promise<StoredReplayRun | null> {
  const last = await db
    .selectFrom('replay_run')
    .select([
      'login',
      'record',
      'begun_at',
      'newest',
      'moments',
      'differences',
      'accepted',
      'elsewhere',
      'differing',
    ])
    .select(
      sql<number>`extract(epoch from pg_catalog.clock_timestamp() - ended_at)::double precision`.as(
        'ageSeconds',
      ),
    )
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last === undefined) return null
  const { begun_at, ...run } = last
  return { ...run, begunAt: begun_at.getTime() }
}

/** Seconds since the reality was made, by Postgres; null where the database has none. */
export async function readRealityAge(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom('reality')
    .select(
      sql<number>`extract(epoch from pg_catalog.clock_timestamp() - created_at)::double precision`.as(
        'seconds',
      ),
    )
    .executeTakeFirst()
  return row?.seconds ?? null
}
