import { type BeingName, type Decision, type MomentId, stanceOf } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'
import { newDecision } from './decision.ts'

/** See `cancel-call.sql`. */
export type CancelStatus = 'cancelled' | 'decided' | 'over' | 'unknown'

/**
 * Records that the call of a mind was cancelled, as the decision of its moment. Whether somebody may is for
 * the caller to ask.
 */
export async function cancelCall(db: Db, moment: MomentId, by: BeingName): Promise<CancelStatus> {
  const decision: Decision = {
    kind: 'failure',
    code: 'CANCELLED',
    message: `${stanceOf(by)} cancelled the call of its mind`,
  }
  const { digest, salt, bytes } = newDecision(decision)
  const { rows } = await sql<{ status: CancelStatus }>`
    select treeos.cancel_call(${moment}, ${digest}, ${salt}::bytea, ${bytes}::bytea) as status`.execute(db)
  return rows[0]?.status ?? 'unknown'
}

/**
 * Whether a moment of a being is under way: it has claimed a wake that is not closed. It may not be stored
 * yet.
 */
export async function isAtWork(db: Db, being: BeingName): Promise<boolean> {
  const { rows } = await sql`
    select from treeos.inbox i where i.being = ${being} and i.closed_by is null and i.claimed_by is not null
      and not exists (select from treeos.moment_outcome o where o.moment = i.claimed_by) limit 1`.execute(db)
  return rows.length > 0
}

/** Those of the moments whose call was cancelled, or failed in another process. */
export async function listCancelled(db: Db, moments: readonly MomentId[]): Promise<MomentId[]> {
  const rows = await db
    .selectFrom('moment_decision')
    .select('moment')
    .where('moment', 'in', moments)
    .where('kind', '=', 'failure')
    .execute()
  return rows.map(({ moment }) => moment)
}

/**
 * Whether one being waits for something of another: an open wake of a thread in which it summoned that one,
 * or an act of its own that may become such a summon.
 */
export async function hasAsked(db: Db, being: BeingName, asker: BeingName): Promise<boolean> {
  const { rows } = await sql`
    select from treeos.inbox own where own.being = ${asker} and own.kind = 'act' and own.closed_by is null
    union all
    select from treeos.inbox i where i.being = ${being} and i.closed_by is null and i.notice is null
      and exists (select from treeos.inbox a where a.root = i.root and a.being = ${being} and a.caller = ${asker})
    limit 1`.execute(db)
  return rows.length > 0
}
