import { type Digest, type HeadRef, isJsonObject, type Json, type MomentId, type ReelId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import { decodeJson } from '../sql/stored-json.ts'

/** The bases of moments, with the hashes that their facts have now; the hash of a missing fact is empty. */
export async function readBases(
  db: Db,
  moments: readonly MomentId[],
): Promise<Map<MomentId, readonly HeadRef[]>> {
  const rows = await db
    .selectFrom('moment_open')
    .select(['moment', 'basis'])
    .where('moment', '=', sql<string>`any(${[...moments]}::text[])`)
    .execute()
  const stored = rows.map(({ moment, basis }) => ({ moment, basis: decodeJson<Json>(basis) }))
  const hashOf = await readHashes(
    db,
    stored.flatMap(({ basis }) => (isJsonObject(basis) ? Object.entries(basis) : [])) as [ReelId, number][],
  )
  return new Map(
    stored.map(({ moment, basis }) => [
      moment,
      isJsonObject(basis)
        ? Object.entries(basis as Record<ReelId, number>).map(([reel, seq]) => [reel, seq, hashOf(reel, seq)])
        : (basis as unknown as readonly HeadRef[]), // with hashes, as versions before this one stored it
    ]),
  )
}

async function readHashes(db: Db, heads: readonly (readonly [ReelId, number])[]) {
  const wanted = new Map(heads.map(([reel, seq]) => [`${seq} ${reel}`, { reel, seq }]))
  const asked = [...wanted.values()]
  const { rows } = await sql<{ reel: ReelId; seq: number; hash: Buffer }>`
    select k.reel, k.seq, case k.seq when 0 then treeos.genesis(k.reel) else f.hash end as hash
    from unnest(${asked.map(({ reel }) => reel)}::text[], ${asked.map(({ seq }) => seq)}::bigint[]) as k(reel, seq)
    left join treeos.fact f on f.reel = k.reel and f.seq = k.seq
    where k.seq = 0 or f.hash is not null`.execute(db)
  const hashes = new Map(rows.map(({ reel, seq, hash }) => [`${seq} ${reel}`, hash.toString('hex')]))
  return (reel: ReelId, seq: number): Digest => hashes.get(`${seq} ${reel}`) ?? ''
}
