import { type BeingName, type MomentId, stanceOf, TreeosError } from '@treeos/core'
import { type Db, requireOutcome, waitForOpenAppends } from '@treeos/store'
import { sql } from 'kysely'

/** A position in the record: all that was appended up to the end of one moment. */
export interface RecordCut {
  readonly being: BeingName
  readonly n: number
  readonly moment: MomentId
  /** the last entry of the journal that counts */
  readonly entry: number
}

/**
 * The position in the record at the end of a moment. Appends of which it depends are all before it: a moment
 * reads only what is committed, and an append takes its entry with the heads of its reels locked.
 * @throws {TreeosError} MOMENT_NOT_FOUND
 */
export async function cutAt(db: Db, being: BeingName, n: number): Promise<RecordCut> {
  const { moment } = await requireOutcome(db, being, n)
  await waitForOpenAppends(db) // an earlier entry may not be committed yet
  const { rows } = await sql<{ entry: number }>`
    select entry from treeos.journal where moment = ${moment}`.execute(db)
  const entry = rows[0]?.entry
  if (entry !== undefined) return { being, n, moment, entry }
  throw new TreeosError(
    'MOMENT_NOT_FOUND',
    `the journal has no entry for moment ${n} of ${stanceOf(being)}, so its place in the record is not known`,
  )
}

/**
 * Makes the tables `later_fact`, `later_moment` and `kept_moment` of one transaction, which say what lies
 * behind a cut.
 */
export async function markCut(tx: Db, { entry }: RecordCut): Promise<void> {
  await sql`
    create temp table later_fact on commit drop as
      select u.reel, min(u.seq) as seq
      from treeos.journal j, unnest(j.reels, j.seqs) as u(reel, seq)
      where j.entry > ${entry} group by u.reel`.execute(tx)
  await sql`
    create temp table later_moment on commit drop as
      select moment from treeos.journal where entry > ${entry} and moment is not null`.execute(tx)
  await sql`
    create temp table kept_moment on commit drop as
      select o.moment, o.being, o.wake from treeos.moment_outcome o
      where not exists (select from later_moment l where l.moment = o.moment)`.execute(tx)
}
