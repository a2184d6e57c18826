import type { Kysely } from 'kysely'
import type { ChainDb } from '../sql/schema.ts'

export interface Reality {
  /** part of every genesis hash */
  readonly id: string
  readonly name: string
  /** IANA name: what `time.hour` of a flow is read in */
  readonly timeZone: string
}

/** The one reality of this database; null before the first start. */
export async function readReality(db: Kysely<ChainDb>): Promise<Reality | null> {
  const row = await db.selectFrom('reality').select(['id', 'name', 'time_zone']).executeTakeFirst()
  return row === undefined ? null : { id: row.id, name: row.name, timeZone: row.time_zone }
}

/**
 * Makes the reality of this database unless there is one; safe to run from several processes at once.
 * @param db opened with `asOwner`
 */
export async function createReality(
  db: Kysely<ChainDb>,
  wanted: { name: string; timeZone: string },
): Promise<{ reality: Reality; created: boolean }> {
  const made = await db
    .insertInto('reality')
    .values({ name: wanted.name, time_zone: wanted.timeZone })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  const reality = await readReality(db)
  if (reality === null) throw new Error('the reality was made and is not there')
  return { reality, created: (made.numInsertedOrUpdatedRows ?? 0n) > 0n }
}
