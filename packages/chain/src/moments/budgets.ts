import { type BeingName, type Breach, MICROS, type MomentId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/** The model call of one attempt of a moment's activity. */
export interface Attempt {
  readonly being: BeingName
  readonly moment: MomentId
  /** from 1 */
  readonly attempt: number
}

/** What a call costs, or the most it can cost. */
export interface Cost {
  readonly tokens: number
  /** millionths of the currency; null when the price is not known */
  readonly micros: number | null
}

/**
 * - `free`: no being up the birth chain has a budget, so nothing is counted
 * - `reserved`: the call may be made
 * - `waits`: the call will fit if calls under way cost less than they reserved
 * - `breach`: the call cannot fit the budget
 * - `over`: this attempt is already settled, or its moment is closed, so the call must not be made
 */
export type Reserved =
  | { readonly status: 'free' | 'reserved' | 'over' }
  | { readonly status: 'waits' | 'breach'; readonly breach: Breach }

/**
 * Reserves the most that a call can cost on every being with a budget up the birth chain, on all of them or none. The same
 * attempt reserves once. Earlier attempts of the moment that were never settled are settled at what they reserved.
 */
export async function reserve(db: Db, { being, moment, attempt }: Attempt, worst: Cost): Promise<Reserved> {
  const { rows } = await sql<{ answer: SqlAnswer }>`
    select treeos.reserve(${being}, ${moment}, ${attempt}, ${worst.tokens}::bigint, ${worst.micros}::bigint) as answer`.execute(
    db,
  )
  const answer = rows[0]?.answer
  if (answer === undefined) throw new Error('the SQL function reserve returned no row')
  if (!('of' in answer)) return answer
  const { status, max, used, held: _part, needs, ...rest } = answer
  const amount = (counted: number) => (rest.limit === 'money' ? counted / MICROS : counted)
  const breach = {
    ...rest,
    max: amount(max),
    used: amount(used),
    needs: needs === null ? null : amount(needs),
  }
  return { status, breach }
}

type SqlAnswer =
  | { readonly status: 'free' | 'reserved' | 'over' }
  | (Breach & { readonly status: 'waits' | 'breach'; readonly held: number })

/**
 * Replaces a reservation by what the call really cost. Only the first settlement of an attempt counts.
 * @param used null when the cost is unknown: the reservation then counts as the cost
 */
export async function settle(
  db: Db,
  { moment, attempt }: Omit<Attempt, 'being'>,
  used: Cost | null,
): Promise<void> {
  await sql`select treeos.settle(${moment}, ${attempt}, ${used?.tokens ?? null}::bigint, ${used?.micros ?? null}::bigint)`.execute(
    db,
  )
}

/** Number of beings that are parked: the most their next model call can cost does not fit a budget. */
export async function countParked(db: Db): Promise<number> {
  const { rows } = await sql<{ parked: number }>`
    select count(*) as parked from treeos.parking where treeos.is_parked(being)`.execute(db)
  return rows[0]?.parked ?? 0
}

/** Beings that a budget of these beings parked, even if the budget has changed since. */
export async function listParkedBy(
  db: Db,
  budgetsOf: readonly BeingName[],
  limit: number,
): Promise<BeingName[]> {
  if (budgetsOf.length === 0) return []
  const rows = await db
    .selectFrom('parking')
    .select('being')
    .where('of', 'in', budgetsOf)
    .limit(limit)
    .execute()
  return rows.map((row) => row.being)
}
