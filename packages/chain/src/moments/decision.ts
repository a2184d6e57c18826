import type { Decision, Digest, Json, MomentId } from '@treeos/core'
import { newSalt, saltedDigest } from '../ledger/hash.ts'
import type { Db } from '../sql/database.ts'
import { decodeJson, encodeJson } from '../sql/stored-json.ts'

/** What a mind answered, with what it cost. */
export interface StoredDecision {
  readonly decision: Decision
  readonly digest: Digest
}

/** Stores the decision unless this moment has one: the first answer is the one that counts. */
export async function recordDecision(
  db: Db,
  moment: MomentId,
  decision: Decision,
  usage: Json = null,
): Promise<StoredDecision> {
  const bytes = encodeJson(decision)
  const salt = newSalt()
  const digest = saltedDigest(salt, bytes)
  const written = await db
    .insertInto('moment_decision')
    .values({
      moment,
      kind: decision.kind,
      digest,
      salt,
      bytes,
      usage: usage === null ? null : JSON.stringify(usage),
    })
    .onConflict((conflict) => conflict.column('moment').doNothing())
    .executeTakeFirst()
  if ((written.numInsertedOrUpdatedRows ?? 0n) > 0n) return { decision, digest }
  const stored = await readDecision(db, moment)
  if (stored === null) throw new Error(`the decision of ${moment} was there and is gone`)
  return stored
}

export async function readDecision(db: Db, moment: MomentId): Promise<StoredDecision | null> {
  const row = await db
    .selectFrom('moment_decision')
    .select(['bytes', 'digest'])
    .where('moment', '=', moment)
    .executeTakeFirst()
  return row === undefined ? null : { decision: decodeJson(row.bytes), digest: row.digest }
}

/** The bytes of an answer with the salt they were digested under: what an audit recomputes. */
export async function readDecisionBytes(
  db: Db,
  moment: MomentId,
): Promise<{ salt: Buffer; bytes: Buffer } | null> {
  const row = await db
    .selectFrom('moment_decision')
    .select(['salt', 'bytes'])
    .where('moment', '=', moment)
    .executeTakeFirst()
  return row ?? null
}
