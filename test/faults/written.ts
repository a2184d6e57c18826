/** What moments have written, to see whether it ever changes. */
import type { StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'

/** The hashes of each finished moment's record and facts, by moment. */
export async function hashesOf(db: Kysely<StoreDb>): Promise<Map<string, string>> {
  const { rows } = await sql<{ moment: string; written: string }>`
    select o.moment, encode(o.hash, 'hex') || ' ' || coalesce((
      select string_agg(f.reel || '#' || f.seq || ' ' || encode(f.hash, 'hex'), ' ' order by f.reel, f.seq)
      from treeos.fact f where f.moment = o.moment), '') as written
    from treeos.moment_outcome o`.execute(db)
  return new Map(rows.map(({ moment, written }) => [moment, written]))
}

/** @returns one sentence for each moment that was written otherwise before */
export function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  return [...before].flatMap(([moment, was]) =>
    after.get(moment) === was ? [] : [`moment ${moment} was ${was} and is ${after.get(moment)}`],
  )
}
