import { type BeingName, momentsReel, type ReelId } from '@treeos/core'
import { type Selectable, sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import type { FactTable, MomentOutcomeTable } from '../sql/schema.ts'

const BATCH_LENGTH = 500 // of up to 64 KiB a payload

export type FactRow = Selectable<FactTable> & { readonly salt: Buffer | null; readonly bytes: Buffer | null }
export type RecordRow = Selectable<MomentOutcomeTable> & { readonly reel: ReelId; readonly seq: number }

/** Yields batch after batch. The next one is read while the caller checks the last one. */
export async function* batches<R extends { reel: ReelId; seq: number }>(
  read: (last: { reel: ReelId; seq: number }) => Promise<R[]>,
): AsyncGenerator<R[]> {
  let reading: Promise<R[]> | null = read({ reel: '', seq: 0 })
  while (reading !== null) {
    const batch: R[] = await reading
    const last: R | undefined = batch.length < BATCH_LENGTH ? undefined : batch.at(-1)
    reading = last === undefined ? null : read(last)
    reading?.catch(() => undefined) // the error is thrown where it is awaited; the caller may have stopped before that
    if (batch.length > 0) yield batch
  }
}

export function factsAfter(tx: Db, { reel, seq }: { reel: ReelId; seq: number }): Promise<FactRow[]> {
  return tx
    .selectFrom('fact')
    .leftJoin('payload', (join) =>
      join.onRef('payload.reel', '=', 'fact.reel').onRef('payload.seq', '=', 'fact.seq'),
    )
    .selectAll('fact')
    .select(['payload.salt', 'payload.bytes'])
    .where(sql<boolean>`(fact.reel, fact.seq) > (${reel}, ${seq})`)
    .orderBy('fact.reel')
    .orderBy('fact.seq')
    .limit(BATCH_LENGTH)
    .execute()
}

export async function recordsAfter(tx: Db, last: { reel: ReelId; seq: number }): Promise<RecordRow[]> {
  const being: BeingName = last.reel.slice(momentsReel('').length)
  const rows = await tx
    .selectFrom('moment_outcome')
    .selectAll()
    .where(sql<boolean>`(being, n) > (${being}, ${last.seq})`)
    .orderBy('being')
    .orderBy('n')
    .limit(BATCH_LENGTH)
    .execute()
  return rows.map((row) => ({ ...row, reel: momentsReel(row.being), seq: row.n }))
}

export function strayPayloads(tx: Db): Promise<{ reel: ReelId; seq: number }[]> {
  return tx
    .selectFrom('payload')
    .select(['reel', 'seq'])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('fact')
            .select('fact.seq')
            .whereRef('fact.reel', '=', 'payload.reel')
            .whereRef('fact.seq', '=', 'payload.seq'),
        ),
      ),
    )
    .execute()
}
