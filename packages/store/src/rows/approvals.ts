import type { MomentId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/** Calls that wait for a yes and that nobody answered in time, by the moments that asked. */
export async function listOverdueApprovals(db: Db, limit: number): Promise<MomentId[]> {
  const { rows } = await sql<{ id: MomentId }>`
    select substr(key, 10) as id from treeos.projection
    where key like 'approval:%' and state like '%"state":"open"%' and treeos.told(convert_to(state, 'UTF8'))->>'state' = 'open'
      and (treeos.told(convert_to(state, 'UTF8'))->>'expiresAt')::float8 <= extract(epoch from clock_timestamp()) * 1000
    order by key limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}
