import type { Digest, FactRef, HeadRef, MomentId } from '@treeos/core'
import { sql } from 'kysely'
import { digestOfBytes } from '../ledger/hash.ts'
import type { Basis } from '../ledger/records.ts'
import type { Db } from '../sql/database.ts'
import { decodeJson } from '../sql/stored-json.ts'
import { basisIn, hashesFor, headsOf, jsonIn } from './basis.ts'
import type { StoredOpen } from './open-record.ts'

/** What is stored of a finished moment besides its outcome. */
export interface RecordedMoment {
  /** null when it was never opened */
  readonly open: (StoredOpen & { readonly digest: Digest; readonly basis: Basis }) | null
  /** the heads that its call was judged from and that its basis has not */
  readonly judged: readonly HeadRef[]
  /** the facts of its act, by reel and seq */
  readonly facts: readonly FactRef[]
  /** bytes of its decision with the salt of their digest, so that an audit can compute the digest again */
  readonly answer: { readonly salt: Buffer; readonly bytes: Buffer } | null
}

/** Reads many moments in three statements: a replay reads all there are. */
export async function readRecorded(
  db: Db,
  moments: readonly MomentId[],
): Promise<Map<MomentId, RecordedMoment>> {
  const [{ rows }, facts] = await Promise.all([
    sql<RecordedRow>`
      select m.moment, o.record, o.basis, o.face, e.judged, d.salt, d.bytes
      from unnest(${[...moments]}::text[]) as m (moment)
      left join treeos.moment_open o on o.moment = m.moment
      left join treeos.moment_outcome e on e.moment = m.moment
      left join treeos.moment_decision d on d.moment = m.moment`.execute(db),
    db
      .selectFrom('fact')
      .select(['moment', 'reel', 'seq', 'hash', 'kind'])
      .where(sql<boolean>`moment = any(${[...moments]}::text[])`)
      .orderBy(sql`reel collate "C"`)
      .orderBy('seq')
      .execute(),
  ])
  const stored = rows.map(({ basis, judged, ...row }) => ({
    ...row,
    basis: basis === null ? null : basisIn(basis),
    judged: judged === null ? {} : headsOf(jsonIn(judged)),
  }))
  const withHashes = await hashesFor(
    db,
    stored.flatMap(({ basis, judged }) => [basis?.heads ?? {}, judged]),
  )
  const factsOf = Map.groupBy(facts, ({ moment }) => moment)
  return new Map(
    stored.map(({ moment, record, basis, face, judged, salt, bytes }) => [
      moment,
      {
        open:
          record === null || basis === null
            ? null
            : {
                record: decodeJson(record),
                digest: digestOfBytes(record),
                noted: basis.noted,
                basis: { ...basis, heads: withHashes(basis.heads) },
                face,
              },
        judged: withHashes(judged),
        facts: (factsOf.get(moment) ?? []).map(({ reel, seq, hash, kind }) => ({
          reel,
          seq,
          hash: hash.toString('hex'),
          kind,
        })),
        answer: salt === null || bytes === null ? null : { salt, bytes },
      },
    ]),
  )
}

/** Null is what was not stored. */
interface RecordedRow {
  readonly moment: MomentId
  readonly record: Buffer | null
  readonly basis: Buffer | null
  readonly face: string | null
  readonly judged: Buffer | null
  readonly salt: Buffer | null
  readonly bytes: Buffer | null
}
