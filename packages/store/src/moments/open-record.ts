import type { BeingName, Digest, MomentId } from '@treeos/core'
import { sql } from 'kysely'
import { throwStaleGeneration } from '../inbox/life.ts'
import type { OpenWrite } from '../ledger/batch.ts'
import { encodeBasis } from '../ledger/encode-basis.ts'
import type { MomentNotes, OpenRecord } from '../ledger/records.ts'
import type { Db } from '../sql/database.ts'
import { decodeJson } from '../sql/stored-json.ts'
import { basisIn } from './basis.ts'

export interface StoredOpen {
  readonly record: OpenRecord
  /** null when it noted nothing */
  readonly noted: MomentNotes | null
  readonly face: Digest | null
}

/**
 * Stores the open record unless this moment has one.
 * @returns false when the moment already had an open record
 * @throws {StaleGenerationError} when a younger life has begun, because nothing could ever close such a
 *   moment
 */
export async function recordOpen(db: Db, open: OpenWrite): Promise<boolean> {
  const face = open.face === null ? null : Buffer.from(open.face.text)
  const { rows } = await sql<{ opened: boolean }>`
    select treeos.open_moment(${open.moment}, ${open.being}, ${open.n}, ${open.wake}, ${open.openedAt}, ${Buffer.from(open.record.text)},
      ${Buffer.from(encodeBasis(open.basis))}, ${open.face?.digest ?? null}, ${face}) as opened`
    .execute(db)
    .catch(throwStaleGeneration)
  return rows[0]?.opened === true
}

/** An open record with what the moment noted. */
export type WholeOpen = OpenRecord & MomentNotes

export const wholeOpen = ({ record, noted }: Pick<StoredOpen, 'record' | 'noted'>): WholeOpen => ({
  ...noted,
  ...record,
})

export async function findOpen(db: Db, moment: MomentId): Promise<StoredOpen | null> {
  return (await listOpens(db, [moment])).get(moment) ?? null
}

/** The open records of many moments; those that were never opened are left out. */
export async function listOpens(db: Db, moments: readonly MomentId[]): Promise<Map<MomentId, StoredOpen>> {
  const rows = await db
    .selectFrom('moment_open')
    .select(['moment', 'record', 'basis', 'face'])
    .where('moment', '=', sql<string>`any(${[...moments]}::text[])`)
    .execute()
  return new Map(
    rows.map(({ moment, record, basis, face }) => [
      moment,
      { record: decodeJson(record), noted: basisIn(basis).noted, face },
    ]),
  )
}

/** Moments that were opened and have no outcome; at most one for each life. */
export async function listUnfinished(db: Db, being: BeingName): Promise<{ moment: MomentId; n: number }[]> {
  return await db
    .selectFrom('moment_open')
    .select(['moment_open.moment', 'moment_open.n'])
    .where('moment_open.being', '=', being)
    .where('moment_open.early', 'is', true)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('moment_outcome')
            .select('moment_outcome.n')
            .whereRef('moment_outcome.moment', '=', 'moment_open.moment'),
        ),
      ),
    )
    .orderBy('moment_open.n')
    .execute()
}
