import { type BeingName, type Breach, MICROS, type MomentId } from '@treeos/core'
import { sql } from 'kysely'
import type { Db } from '../sql/database.ts'

/** One model call, asked for by one attempt of a moment's activity. */
export interface Attempt {
  readonly being: BeingName
  readonly moment: MomentId
  /** from 1 */
  readonly attempt: number
}

/** What a call costs, or may cost at worst. */
export interface Cost {
  readonly tokens: number
  /** millionths of money; null when no price is known */
  readonly micros: number | null
}

/**
 * - `free`: nobody up the birth chain has a budget, so nothing is counted
 * - `waits`: it will fit if calls under way take less than they might
 * - `over`: this attempt was settled already, or its moment is closed: whoever asks is late, and must not call
 */
export type Reserved =
  | { readonly status: 'free' | 'reserved' | 'over' }
  | { readonly status: 'waits' | 'breach'; readonly breach: Breach }

/**
 * Sets the worst that a call may cost aside on every limited being up the birth chain, all or none. Idempotent by attempt;
 * earlier attempts of the moment of which nobody told are settled at their reservation.
 */
export async function reserve(db: Db, { being, moment, attempt }: Attempt, worst: Cost): Promise<Reserved> {
  const { rows } = await sql<{ answer: SqlAnswer }>`
    select treeos.reserve(${being}, ${moment}, ${attempt}, ${worst.tokens}::bigint, ${worst.micros}::bigint) as answer`.execute(
    db,
  )
  const answer = rows[0]?.answer
  if (answer === undefined) throw new Error('reserve gave no answer')
  if (!('of' in answer)) return answer
  const { status, max, used, held: _part, needs, ...told } = answer
  const amount = (counted: number) => (told.limit === 'money' ? counted / MICROS : counted)
  const breach = {
    ...told,
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
 * Puts what a call has cost in the place of its reservation; the first to say so is believed.
 * @param used null: nobody knows, so it has cost what was reserved
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

/** Beings that rest because the worst of their next model call does not fit a budget. */
export async function countParked(db: Db): Promise<number> {
  const { rows } = await sql<{ parked: number }>`
    select count(*) as parked from treeos.parking where treeos.is_parked(being)`.execute(db)
  return rows[0]?.parked ?? 0
}

/** Beings that these beings' budgets have parked, or had parked before they were changed. */
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
