import { sql } from 'kysely'
import type { Db } from './database.ts'

/** Postgres' clock, ms since 1970 UTC: the only clock there is. */
export async function readClock(db: Db): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db)
  const now = rows[0]?.now
  if (now === undefined) throw new Error('Postgres told no time')
  return now
}
