import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BeingName, Breach, MomentId } from '@treeos/core'
import {
  type CallAttempt,
  type CallCost,
  type CallSettlement,
  type ClaimResult,
  type Db,
  reserve,
  type SettlementWrite,
  settle,
} from '@treeos/store'
import type { Observer } from '../guard/guard.ts'
import { withPostgresRetry } from '../guard/guard.ts'
import { type ChargedAnswer, type Model, type ModelRequest, ModelTransientError } from './model.ts'
import { costOf } from './prices.ts'

/** Longer than most model calls take, so calls under way have returned their unused reservations by then. */
const WAIT_SECONDS_MAX = 150
const POLL_MS_MIN = 100
const POLL_MS_MAX = 1000

/** Where budgets are recorded. */
interface BudgetDeps {
  readonly db: Db
  readonly observe: Observer
  /** what the last call of each being could cost at most */
  readonly memory: { readonly worstCosts: { set(being: BeingName, worst: CallCost): unknown } }
}

/** A model, with the call that is made. */
export type BudgetedModel<A extends ChargedAnswer> = Pick<
  Model,
  'answerTokensMax' | 'boundPrompt' | 'price'
> & {
  decide(request: ModelRequest): Promise<A>
}

/**
 * Calls a model within the budgets of a being and its ancestors. Reserves the worst-case cost before the
 * call. The real cost replaces it when the answer is recorded, or here when none came. When the real cost is
 * unknown, the worst case stays. So no budget is ever exceeded, not by concurrent calls and not by a crash.
 * Without a budget the model is called directly.
 * @param reservation made already for this attempt; when the call may cost more, it is given back
 * @returns the answer, with what is to be settled when it is recorded; or a breach when a budget does not
 *   allow the call, and then the model was not called
 * @throws {ModelTransientError} from the model
 */
export async function askWithinBudgets<A extends ChargedAnswer>(
  deps: BudgetDeps,
  model: BudgetedModel<A>,
  first: CallAttempt,
  reservation: OpeningReservation | null,
  request: ModelRequest,
): Promise<{ readonly answer: A; readonly settlement: CallSettlement | null } | { readonly breach: Breach }> {
  const maxTokens = request.maxTokens ?? model.answerTokensMax
  const bounded = { ...request, maxTokens }
  const worst = costOf({ promptTokens: model.boundPrompt(bounded), completionTokens: maxTokens }, model.price)
  deps.memory.worstCosts.set(first.being, worst)
  if (reservation !== null) reservation.isTaken = true
  if (reservation?.cost === null) return { answer: await model.decide(request), settlement: null }
  const isCovered = reservation !== null && covers(reservation.cost, worst)
  const attempt = reservation === null || isCovered ? first : { ...first, attempt: newAttempt() }
  if (reservation !== null && !isCovered)
    await withPostgresRetry(deps.observe, () => settle(deps.db, first, ZERO_COST))
  const reserved = isCovered
    ? ({ status: 'reserved' } as const)
    : await reserveOrWait(deps, attempt, worst, request.signal)
  switch (reserved.status) {
    case 'free':
      return { answer: await model.decide(request), settlement: null }
    case 'waits':
    case 'breach':
      return { breach: reserved.breach }
    case 'over':
      throw new Error(
        `attempt ${attempt.attempt} of ${attempt.moment} is obsolete: its moment or its reservation is closed`,
      )
  }
  try {
    const answer = await model.decide(bounded)
    return { answer, settlement: { ...attempt, used: costOfAnswer(answer, model, bounded) } }
  } catch (error) {
    if (error instanceof ModelTransientError) {
      const used = error.isFree ? ZERO_COST : costOfAnswer(error, model, bounded)
      const isUnsure = !error.isFree && error.usage === null
      await withPostgresRetry(deps.observe, () =>
        settle(deps.db, attempt, used, isUnsure ? { isUnsure } : {}),
      )
    }
    throw error
  }
}

/** What a call cost. Where the provider does not say, it is bounded by what was sent and received. */
function costOfAnswer(
  { usage, received, refused }: ChargedAnswer,
  { price, boundPrompt }: Pick<Model, 'price' | 'boundPrompt'>,
  request: ModelRequest & { readonly maxTokens: number },
): CallCost {
  if (refused === true) return ZERO_COST
  if (usage !== null) return costOf(usage, price)
  const completionTokens = Math.min(received ?? request.maxTokens, request.maxTokens)
  return costOf({ promptTokens: boundPrompt(request), completionTokens }, price)
}

/**
 * Reserves a cost. When it fits only if calls under way cost less than reserved, waits for them up to 150 s.
 */
async function reserveOrWait(
  deps: BudgetDeps,
  attempt: CallAttempt,
  worst: CallCost,
  signal: AbortSignal | undefined,
) {
  const end = performance.now() + 1000 * WAIT_SECONDS_MAX
  for (let wait = POLL_MS_MIN; ; wait = Math.min(1.5 * wait, POLL_MS_MAX)) {
    const reserved = await withPostgresRetry(deps.observe, () => reserve(deps.db, attempt, worst))
    if (reserved.status !== 'waits' || performance.now() > end) return reserved
    await sleep(wait, undefined, signal === undefined ? {} : { signal })
  }
}

/**
 * What was reserved for the model call of a moment when it opened, before the length of its prompt was known.
 */
export interface OpeningReservation {
  /** number of the reservation */
  readonly attempt: number
  /** null when no budget stands above the being: nothing needs to be reserved */
  readonly cost: CallCost | null
  /** true once a call has it, which then settles it */
  isTaken: boolean
}

const ZERO_COST: CallCost = { tokens: 0, micros: 0 }

/** Below 0 and at random: a call that is made again after a crash has a reservation of its own. */
export const newAttempt = (): number => -randomInt(1, 2 ** 31)

/**
 * How much more is reserved in advance than the last call could cost. What is too much is given back when the
 * call is settled.
 */
const ROOM = 1.25

export const withRoom = ({ tokens, micros }: CallCost): CallCost => ({
  tokens: Math.ceil(tokens * ROOM),
  micros: micros === null ? null : Math.ceil(micros * ROOM),
})

/** @returns null when nothing was reserved, so that the call reserves what it needs */
export function reservationOf(
  { attempt, cost }: { readonly attempt: number; readonly cost: CallCost },
  reserved: ClaimResult['reserved'],
): OpeningReservation | null {
  if (reserved === null) return null
  return { attempt, cost: reserved === 'free' ? null : cost, isTaken: false }
}

/** Whether a reservation bounds a call. One without a price was not checked against a budget of money. */
const covers = (reserved: CallCost, worst: CallCost): boolean =>
  reserved.tokens >= worst.tokens &&
  (worst.micros === null
    ? reserved.micros === null
    : reserved.micros !== null && reserved.micros >= worst.micros)

/** The settlement of a reservation that no call took; null when there is nothing to give back. */
export const unusedOf = (reservation: OpeningReservation | null): SettlementWrite | null =>
  reservation === null || reservation.isTaken || reservation.cost === null
    ? null
    : { attempt: reservation.attempt, used: ZERO_COST }

/** Gives a reservation back that no call took. */
export async function releaseReservation(
  db: Db,
  moment: MomentId,
  reservation: OpeningReservation | null,
): Promise<void> {
  const unused = unusedOf(reservation)
  if (unused !== null) await settle(db, { moment, attempt: unused.attempt }, ZERO_COST)
}
