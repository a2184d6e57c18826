import type { BeingName, Decision, Digest, MomentId, OverlayRecord } from '@treeos/core'
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
  readonly overlay: OverlayRecord | null
  /** digest of what its model was shown; left out where none was asked, and where that is not known */
  readonly prompt?: Digest | undefined
}

/** A decision that is ready to be stored: encoded, with a new salt. */
export const newDecision = (
  decision: Decision,
  of: Partial<Pick<DecisionWrite, 'usage' | 'settlement' | 'overlay' | 'prompt'>> = {},
): DecisionWrite => ({ ...saltedDecision(newSalt(), decision), ...of })

/** The decision of an act that brings its salt, since its person signed both. */
export function saltedDecision(salt: Buffer, decision: Decision): DecisionWrite {
  const bytes = encodeJson(decision)
  const digest = saltedDigest(salt, bytes)
  return { decision, digest, salt, bytes, usage: null, settlement: null, overlay: null }
}

/**
 * Stores the decision unless this moment has one: the first answer counts. Settles its model call in the same
 * statement.
 */
export async function recordDecision(
  db: Db,
  moment: MomentId,
  { decision, digest, salt, bytes, usage, settlement, overlay, prompt }: DecisionWrite,
): Promise<StoredDecision> {
  const { numAffectedRows } = await sql`
    insert into treeos.moment_decision (moment, kind, digest, salt, bytes, usage, overlay, prompt)
    select ${moment}, ${decision.kind}, ${digest}, ${salt}::bytea, ${bytes}::bytea, ${usage === null ? null : JSON.stringify(usage)}::jsonb,
      ${overlay === null ? null : JSON.stringify(overlay)}::jsonb, ${prompt ?? null}::text
    from ${settlement === null ? sql`(values (null)) as unsettled` : settling({ moment, ...settlement })}
    on conflict (moment) do nothing`.execute(db)
  if ((numAffectedRows ?? 0n) > 0n) return { decision, digest, overlay, prompt }
  const stored = await findDecision(db, moment)
  if (stored === null) throw new Error(`the decision of ${moment} was stored, but cannot be read`)
  return stored
}

export async function findDecision(db: Db, moment: MomentId): Promise<StoredDecision | null> {
  return (await listDecisions(db, [moment])).get(moment) ?? null
}

/** The decisions of many moments; those without one are left out. */
export async function listDecisions(
  db: Db,
  moments: readonly MomentId[],
): Promise<Map<MomentId, StoredDecision>> {
  const rows = await db
    .selectFrom('moment_decision')
    .select(['moment', 'bytes', 'digest', 'overlay', 'prompt'])
    .where('moment', '=', sql<string>`any(${[...moments]}::text[])`)
    .execute()
  return new Map(
    rows.map(({ moment, bytes, digest, overlay, prompt }) => [
      moment,
      {
        decision: decodeJson(bytes),
        digest,
        overlay: overlay as OverlayRecord | null,
        ...(prompt === null ? {} : { prompt }),
      },
    ]),
  )
}

/** What each of these beings called in its last few moments that became acts, the newest first. */
export async function listRecentCalls(
  db: Db,
  beings: readonly BeingName[],
  moments: number,
): Promise<{ being: BeingName; decision: Decision }[]> {
  if (beings.length === 0) return []
  const { rows } = await sql<{ being: BeingName; bytes: Buffer }>`
    select recent.being, d.bytes from unnest(${[...beings]}::text[]) as asked(being)
    cross join lateral (
      select o.being, o.n, o.kind, o.moment from treeos.moment_outcome o
      where o.being = asked.being order by o.n desc limit ${moments}
    ) recent
    join treeos.moment_decision d on d.moment = recent.moment and d.kind = 'call'
    where recent.kind = 'act' order by recent.n desc`.execute(db)
  return rows.map(({ being, bytes }) => ({ being, decision: decodeJson(bytes) }))
}

/**
 * Words of models and scripts in one thread that were not a call, so that they reached nobody; the last ones,
 * oldest first.
 */
export async function listUnheard(
  db: Db,
  thread: string,
  most: number,
): Promise<{ readonly moment: MomentId; readonly words: string }[]> {
  const { rows } = await sql<{ moment: MomentId; bytes: Buffer }>`
    select o.moment, d.bytes from treeos.inbox i
    join treeos.moment_outcome o on o.wake = i.id and o.kind = 'see' and o.reason is distinct from 'superseded'
    join treeos.moment_decision d on d.moment = o.moment and d.kind = 'see'
    where i.root = ${thread} order by i.age desc limit ${most}`.execute(db)
  return rows
    .map(({ moment, bytes }) => ({ moment, words: decodeJson<Decision>(bytes) }))
    .flatMap(({ moment, words }) =>
      words.kind === 'see' && words.content !== null ? [{ moment, words: words.content }] : [],
    )
    .reverse()
}
