import type { FactRef, HeadRef, MomentId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import { decodeJson } from '../sql/stored-json.ts'
import { readBases, readJudged } from './basis.ts'
import type { StoredOpen } from './open.ts'

/** What is stored of a finished moment besides its outcome. */
export interface RecordedMoment {
  /** null when it was never opened */
  readonly open: (StoredOpen & { readonly basis: readonly HeadRef[] }) | null
  /** the heads that its call was judged from and that its basis has not */
  readonly judged: readonly HeadRef[]
  /** the facts of its act, by reel and seq */
  readonly facts: readonly FactRef[]
  /** bytes of its decision with the salt of their digest, so that an audit can compute the digest again */
  readonly answer: { readonly salt: Buffer; readonly bytes: Buffer } | null
}

/** Reads many moments in a few statements. */
export async function readRecorded(
  db: Db,
  moments: readonly MomentId[],
): Promise<Map<MomentId, RecordedMoment>> {
  const isAsked = sql<boolean>`moment = any(${[...moments]}::text[])`
  const [opens, bases, judged, facts, answers] = await Promise.all([
    db.selectFrom('moment_open').select(['moment', 'record', 'face']).where(isAsked).execute(),
    readBases(db, moments),
    readJudged(db, moments),
    db
      .selectFrom('fact')
      .select(['moment', 'reel', 'seq', 'hash', 'kind'])
      .where(isAsked)
      .orderBy(sql`reel collate "C"`)
      .orderBy('seq')
      .execute(),
    db.selectFrom('moment_decision').select(['moment', 'salt', 'bytes']).where(isAsked).execute(),
  ])
  const openOf = new Map(opens.map((row) => [row.moment, row]))
  const answerOf = new Map(answers.map(({ moment, salt, bytes }) => [moment, { salt, bytes }]))
  const factsOf = Map.groupBy(facts, ({ moment }) => moment)
  return new Map(
    moments.map((moment) => {
      const open = openOf.get(moment)
      return [
        moment,
        {
          open:
            open === undefined
              ? null
              : { record: decodeJson(open.record), basis: bases.get(moment) ?? [], face: open.face },
          judged: judged.get(moment) ?? [],
          facts: (factsOf.get(moment) ?? []).map(({ reel, seq, hash, kind }) => ({
            reel,
            seq,
            hash: hash.toString('hex'),
            kind,
          })),
          answer: answerOf.get(moment) ?? null,
        },
      ]
    }),
  )
}
