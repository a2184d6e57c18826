import { sql } from 'kysely'
import { REALITY_RESTORED } from '../ledger/reality.ts'
import type { Db } from '../sql/database.ts'

/** A restore of the record that was noticed, or that a person told of. */
export interface NotedRestore {
  /** ISO 8601, UTC */
  readonly at: string
  /** what Postgres says of its server, or `told` */
  readonly why: string
  /** beings that got a new generation */
  readonly lives: number
}

/**
 * Begins the lives of all beings anew if the record was restored since anybody looked. Workers call it at their
 * start.
 * @returns why Postgres says so; null where nothing was restored
 */
export async function noteRestore(db: Db): Promise<string | null> {
  const { rows } = await sql<{ why: string | null }>`select treeos.note_restore() as why`.execute(db)
  return rows[0]?.why ?? null
}

/**
 * The same where a person knows of a restore that Postgres does not show, such as one of the files of a server.
 * @param db opened with `asOwner`
 * @returns how many beings got a new generation
 */
export async function tellRestore(db: Db): Promise<number> {
  const { rows } = await sql<{ lives: number }>`select treeos.begin_anew('told') as lives`.execute(db)
  return rows[0]?.lives ?? 0
}

/** The last restore; null for a record that was never restored. */
export async function findLastRestore(db: Db): Promise<NotedRestore | null> {
  const last = await db
    .selectFrom('restore')
    .select(['at', 'why', 'lives'])
    .where('why', '<>', 'made')
    .orderBy('n', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last === undefined ? null : { at: last.at.toISOString(), why: last.why, lives: last.lives }
}

/** A restore as its fact tells it. */
export interface RecordedRestore {
  /** of the restores of this database, from 1 on */
  readonly n: number
  readonly why: string
  /** beings that got a new generation */
  readonly lives: number
}

/** Restores of which no fact tells yet, oldest first. */
export async function listUnrecordedRestores(db: Db): Promise<RecordedRestore[]> {
  const { reel, kind } = REALITY_RESTORED
  const { rows } = await sql<RecordedRestore>`
    select r.n::integer as n, r.why, r.lives from treeos.restore r
    where r.why <> 'made' and not exists (
      select from treeos.fact f where f.reel = ${reel} and f.kind = ${kind} and treeos.told(f.bytes)->>'n' = r.n::text)
    order by r.n`.execute(db)
  return rows
}
