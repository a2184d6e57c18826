import type { BeingName } from '@treeos/core'
import { sql } from 'kysely'
import { isWaitingForYes } from '../rows/approvals.ts'
import type { Db } from '../sql/database.ts'

/** What a being waits for, or does now. */
export interface BeingStanding {
  readonly being: BeingName
  /** a budget keeps it from moments */
  readonly isParked: boolean
  /** a call of it waits for the yes of a person */
  readonly asks: boolean
  /** a moment of it has begun and not ended */
  readonly isWorking: boolean
  /** a wake waits for a moment */
  readonly hasWakes: boolean
  /** its last moment ended as a failure */
  readonly hasFailed: boolean
}

/** The standing of many beings, in their order, by one statement. */
export async function listStandings(db: Db, beings: readonly BeingName[]): Promise<BeingStanding[]> {
  if (beings.length === 0) return []
  // What waits is read once for all of them: an inbox looks, for each being by itself, as if it had no use
  // for its index.
  const { rows } = await sql<BeingStanding>`
    with of as materialized (select being, place from unnest(${[...beings]}::text[]) with ordinality as asked(being, place)),
    waiting as materialized (
      select being, bool_or(claimed_by is not null) as "isWorking", bool_or(claimed_by is null) as "hasWakes"
      from treeos.inbox where closed_by is null and being in (select being from of) group by being),
    asking as materialized (
      select distinct split_part(key, '/', 1) as reel from treeos.projection where ${isWaitingForYes})
    select of.being,
      exists (select from treeos.parking p where p.being = of.being) and treeos.is_parked(of.being) as "isParked",
      exists (select from asking where reel = 'approval:' || of.being) as asks,
      coalesce("isWorking", false) as "isWorking",
      coalesce("hasWakes", false) as "hasWakes",
      coalesce((select kind = 'failure' from treeos.moment_outcome o where o.being = of.being order by n desc limit 1), false) as "hasFailed"
    from of left join waiting using (being) order by of.place`.execute(db)
  return rows
}
