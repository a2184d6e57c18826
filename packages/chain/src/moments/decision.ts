import type { Decision, Digest, Json, MomentId } from '@treeos/core'
import { sql } from 'kysely'
import type { DecisionWrite } from '../ledger/batch.ts'
import { newSalt, saltedDigest } from '../ledger/hash.ts'
import type { Db } from '../sql/database.ts'
import { decodeJson, encodeJson } from '../sql/stored-json.ts'
import { settling } from './budgets.ts'

/** The answer of a model, a person or a script, and its salted digest. */
export interface StoredDecision {
  readonly decision: Decision
  readonly digest: Digest
}

/** A decision that is ready to be stored: encoded, with a new salt. */
export function newDecision(
  decision: Decision,
  usage: Json = null,
  settlement: DecisionWrite['settlement'] = null,
): DecisionWrite {
  const bytes = encodeJson(decision)
  const salt = newSalt()
  return { decision, digest: saltedDigest(salt, bytes), salt, bytes, usage, settlement }
}

/** Stores the decision unless this moment has one: the first answer counts. Settles its model call in the same statement. */
export async function recordDecision(
  db: Db,
  moment: MomentId,
  { decision, digest, salt, bytes, usage, settlement }: DecisionWrite,
): Promise<StoredDecision> {
  const { numAffectedRows } = await sql`
    insert into treeos.moment_decision (moment, kind, digest, salt, bytes, usage)
    select ${moment}, ${decision.kind}, ${digest}, ${salt}::bytea, ${bytes}::bytea, ${usage === null ? null : JSON.stringify(usage)}::jsonb
    from ${settlement === null ? sql`(values (null)) as unsettled` : settling({ moment, ...settlement })}
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
