import { type BeingName, type Breach, MICROS, type MomentId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/** The model call of one attempt of a moment's activity. */
export interface CallAttempt {
  readonly being: BeingName
  readonly moment: MomentId
  /** from 1 */
  readonly attempt: number
}

/** What a call costs, or the most it can cost. */
export interface CallCost {
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
export type ReserveResult =
  | { readonly status: 'free' | 'reserved' | 'over' }
  | { readonly status: 'waits' | 'breach'; readonly breach: Breach }

/**
 * Reserves the most that a call can cost on every being with a budget up the birth chain, on all of them or
 * none. The same attempt reserves once. Earlier attempts of the moment that were never settled are settled at
 * what they reserved.
 */
export async function reserve(
  db: Db,
  { being, moment, attempt }: CallAttempt,
  worst: CallCost,
): Promise<ReserveResult> {
  const { rows } = await sql<{ answer: ReserveAnswer }>`
    select treeos.reserve(${being}, ${moment}, ${attempt}, ${worst.tokens}::bigint, ${worst.micros}::bigint) as answer`.execute(
    db,
  )
  const answer = rows[0]?.answer
  if (answer === undefined) throw new Error('the SQL function reserve returned no row')
  return reservedOf(answer)
}

function reservedOf(answer: ReserveAnswer): ReserveResult {
  if (!('of' in answer)) return answer
  const { status, max, used, reserved: _part, needs, ...rest } = answer
  const amount = (counted: number) => (rest.limit === 'money' ? counted / MICROS : counted)
  const breach = {
    ...rest,
    max: amount(max),
    used: amount(used),
    needs: needs === null ? null : amount(needs),
  }
  return { status, breach }
}

type ReserveAnswer =
  | { readonly status: 'free' | 'reserved' | 'over' }
  | (Breach & { readonly status: 'waits' | 'breach'; readonly reserved: number })

/**
 * What a call really cost, in place of what its attempt reserved. Only the first settlement of an attempt
 * counts.
 */
export interface CallSettlement extends Omit<CallAttempt, 'being'> {
  /** null when the cost is unknown: the reservation then counts as the cost */
  readonly used: CallCost | null
  /** true: the cost never came back, and `used` is the most that it can have been; left out otherwise */
  readonly isUnsure?: true
}

/** Replaces a reservation by what the call really cost. */
export async function settle(
  db: Db,
  at: Omit<CallAttempt, 'being'>,
  used: CallCost | null,
  { isUnsure }: Pick<CallSettlement, 'isUnsure'> = {},
): Promise<void> {
  const unsure = isUnsure === true ? { isUnsure } : {}
  await sql`select ${settling({ ...at, used, ...unsure })}`.execute(db)
}

/** The call of `settle`, for a statement that does more. */
export const settling = ({
  moment,
  attempt,
  used,
  isUnsure = false,
}: Omit<CallSettlement, 'isUnsure'> & { isUnsure?: boolean }) =>
  sql`treeos.settle(${moment}, ${attempt}, ${used?.tokens ?? null}::bigint, ${used?.micros ?? null}::bigint, ${isUnsure})`

/** Beings that are parked: the most their next model call can cost does not fit a budget. */
export async function listParked(db: Db): Promise<BeingName[]> {
  const { rows } = await sql<{ being: string }>`
    select being from treeos.parking where treeos.is_parked(being)`.execute(db)
  return rows.map(({ being }) => being)
}

/** Number of beings that are parked. */
export async function countParked(db: Db): Promise<number> {
  return (await listParked(db)).length
}

/**
 * Beings that a budget of these beings parked, even if the budget has changed since.
 * @param parkers `standard`: also those that a standard budget parked
 */
export async function listParkedBy(
  db: Db,
  { budgetsOf, standard }: { readonly budgetsOf: readonly BeingName[]; readonly standard: boolean },
  limit: number,
): Promise<BeingName[]> {
  if (budgetsOf.length === 0 && !standard) return []
  const { rows } = await sql<{ being: string }>`
    select being from treeos.parking
    where "of" = any(${budgetsOf}::text[]) or (${standard} and revision <= 0)
    limit ${limit}`.execute(db)
  return rows.map((row) => row.being)
}
