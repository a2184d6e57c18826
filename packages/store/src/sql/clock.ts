import { sql } from 'kysely'
import type { Db } from './database.ts'

/** Postgres' clock, ms since 1970 UTC. No other clock is used. */
export async function readClock(db: Db): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db)
  const now = rows[0]?.now
  if (now === undefined) throw new Error('the clock query returned no row')
  return now
}
