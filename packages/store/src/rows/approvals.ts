import type { BeingName, MomentId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/**
 * Calls that wait for a yes. `found_as` is found by words in the row, which an answered call may quote, so
 * the state is compared, too.
 */
export const isWaitingForYes = sql`found_as = 'asked' and treeos.told(convert_to(state, 'UTF8'))->>'state' = 'open'`

/** Calls that wait for a yes and that nobody answered in time, by the moments that asked. */
export async function listOverdueApprovals(db: Db, limit: number): Promise<MomentId[]> {
  const { rows } = await sql<{ id: MomentId }>`
    select substr(key, 10) as id from treeos.projection
    where ${isWaitingForYes} and (treeos.told(convert_to(state, 'UTF8'))->>'expiresAt')::float8 <= extract(epoch from clock_timestamp()) * 1000
    order by key limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** How many calls of a being wait for a yes, and of all beings whose nearest person is the same. */
export async function countWaitingForYes(
  db: Db,
  asker: BeingName,
  person: BeingName | null,
): Promise<{ ofAsker: number; ofPerson: number }> {
  const { rows } = await sql<{ ofAsker: number; ofPerson: number }>`
    select count(*) filter (where state::json->>'asker' = ${asker}) as "ofAsker",
      count(*) filter (where state::json->>'person' = ${person}) as "ofPerson"
    from treeos.projection
    where ${isWaitingForYes}`.execute(db)
  return rows[0] ?? { ofAsker: 0, ofPerson: 0 }
}
