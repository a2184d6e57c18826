import type { BeingName } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/**
 * Beings whose inbox holds a wake that nobody took for a while: their doorbell was lost, or their worker is down. Those that
 * a budget keeps from taking any are left out until it does no more.
 */
export async function listUnclaimed(db: Db, olderThanSeconds: number, limit: number): Promise<BeingName[]> {
  return (await pageUnclaimed(db, olderThanSeconds, limit, 0)).map(({ being }) => being)
}

/**
 * A page of them, whoever waits longest first.
 * @param after age of the last one of the page before; 0 for the first page
 */
export async function pageUnclaimed(
  db: Db,
  olderThanSeconds: number,
  limit: number,
  after: number,
): Promise<{ being: BeingName; age: number }[]> {
  // Once a being, not once a row: thousands of summons may rest with a person.
  const { rows } = await sql<{ being: string; age: number }>`
    select being, min(age) as age from (
      select being, kind, min(age) as age from treeos.inbox
      where closed_by is null and claimed_by is null
        and at < clock_timestamp() - make_interval(secs => ${olderThanSeconds})
      group by being, kind
    ) as waiting
    where treeos.wakes(being, kind) and (kind = 'act' or not (treeos.is_parked(being) or treeos.is_paced(being)))
    group by being having min(age) > ${after}
    order by min(age) limit ${limit}`.execute(db)
  return rows
}

/** The line before all beings of a reality: wakes that no moment has taken; what rests with persons and the parked is left out. */
export async function measureInboxes(db: Db): Promise<{ waiting: number; oldestSeconds: number }> {
  const { rows } = await sql<{ waiting: number; oldest: number | null }>`
    select count(*) as waiting, extract(epoch from clock_timestamp() - min(at))::float8 as oldest
    from treeos.inbox where closed_by is null and claimed_by is null and treeos.wakes(being, kind)
      and not treeos.is_parked(being)`.execute(db)
  return { waiting: rows[0]?.waiting ?? 0, oldestSeconds: rows[0]?.oldest ?? 0 }
}

/**
 * Beings with a wake that a moment took a while ago and has not closed: they think, or were ended from outside. By name.
 * @param after name of the last one of the page before
 */
export async function listBusy(
  db: Db,
  olderThanSeconds: number,
  limit: number,
  after: BeingName = '',
): Promise<BeingName[]> {
  const rows = await db
    .selectFrom('inbox')
    .select('being')
    .groupBy('being')
    .where('closed_by', 'is', null)
    .where('claimed_by', 'is not', null)
    // What a role is not opened by stays open, and its moment is over.
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('moment_outcome').select('moment').whereRef('moment', '=', 'claimed_by'))),
    )
    .where('at', '<', sql<Date>`clock_timestamp() - make_interval(secs => ${olderThanSeconds})`)
    .where(sql<boolean>`being collate "C" > ${after}`)
    .orderBy(sql`being collate "C"`)
    .limit(limit)
    .execute()
  return rows.map((row) => row.being)
}
