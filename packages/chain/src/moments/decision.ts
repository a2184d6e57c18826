import type { Decision, Digest, Json, MomentId } from '@treeos/core'
import { sql } from 'kysely'
import { newSalt, saltedDigest } from '../ledger/hash.ts'
import type { Db } from '../sql/database.ts'
import { decodeJson, encodeJson } from '../sql/stored-json.ts'
import { type Settlement, settling } from './budgets.ts'

/** The answer of a model, a person or a script, and its salted digest. */
export interface StoredDecision {
  readonly decision: Decision
  readonly digest: Digest
}

/**
 * Stores the decision unless this moment has one: the first answer counts.
 * @param settlement of the model call that it took, settled in the same statement; null for none
 */
export async function recordDecision(
  db: Db,
  moment: MomentId,
  decision: Decision,
  usage: Json = null,
  settlement: Settlement | null = null,
): Promise<StoredDecision> {
  const bytes = encodeJson(decision)
  const salt = newSalt()
  const digest = saltedDigest(salt, bytes)
  const { numAffectedRows } = await sql`
    insert into treeos.moment_decision (moment, kind, digest, salt, bytes, usage)
    select ${moment}, ${decision.kind}, ${digest}, ${salt}::bytea, ${bytes}::bytea, ${usage === null ? null : JSON.stringify(usage)}::jsonb
    from ${settlement === null ? sql`(values (null)) as unsettled` : settling(settlement)}
    on conflict (moment) do nothing`.execute(db)
  if ((numAffectedRows ?? 0n) > 0n) return { decision, digest }
  const stored = await readDecision(db, moment)
  if (stored === null) throw new Error(`the decision of ${moment} was stored, but cannot be read`)
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

/** The bytes of a decision and the salt of its digest, so that an audit can compute the digest again. */
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
