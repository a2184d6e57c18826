import { setTimeout as sleep } from 'node:timers/promises'
import type { BeingName, Breach } from '@treeos/core'
import { type CallAttempt, type Cost, type Db, reserve, type Settlement, settle } from '@treeos/store'
import type { Observer } from '../guard/observer.ts'
import { withPostgresRetry } from '../guard/postgres-retry.ts'
import { type Charged, type Model, type ModelRequest, ModelTransientError } from './model.ts'
import { costOf } from './prices.ts'
import { covers, newAttempt, type Reservation, ZERO_COST } from './reservation.ts'

/** Longer than most model calls take, so calls under way have returned their unused reservations by then. */
const WAIT_SECONDS_MAX = 150
const POLL_MS_MIN = 100
const POLL_MS_MAX = 1000

/** Where budgets are recorded. */
interface BudgetDeps {
  readonly db: Db
  readonly observe: Observer
  /** what the last call of each being could cost at most */
  readonly memory: { readonly worstCosts: { set(being: BeingName, worst: Cost): unknown } }
}

/** A model, with the call that is made. */
export type Asked<A extends Charged> = Pick<Model, 'answerTokensMax' | 'boundPrompt' | 'price'> & {
  decide(request: ModelRequest): Promise<A>
}

/**
 * Calls a model within the budgets of a being and its ancestors. Reserves the worst-case cost before the call. The real cost
 * replaces it when the answer is recorded, or here when none came. When the real cost is unknown, the worst case stays. So no
 * budget is ever exceeded, not by concurrent calls and not by a crash. Without a budget the model is called directly.
 * @param reservation made already for this attempt; when the call may cost more, it is given back
 * @returns the answer, with what is to be settled when it is recorded; or a breach when a budget does not allow the call, and
 *   then the model was not called
 * @throws {ModelTransientError} from the model
 */
export async function askWithinBudgets<A extends Charged>(
  deps: BudgetDeps,
  model: Asked<A>,
  first: CallAttempt,
  reservation: Reservation | null,
  request: ModelRequest,
): Promise<{ readonly answer: A; readonly settlement: Settlement | null } | { readonly breach: Breach }> {
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
    return { answer, settlement: { ...attempt, used: costOfAnswer(answer, model) ?? worst } }
  } catch (error) {
    if (error instanceof ModelTransientError) {
      const used = error.isFree ? ZERO_COST : worst
      await withPostgresRetry(deps.observe, () => settle(deps.db, attempt, used))
    }
    throw error
  }
}

function costOfAnswer({ usage, refused }: Charged, { price }: Pick<Model, 'price'>): Cost | null {
  if (refused === true) return ZERO_COST
  return usage === null ? null : costOf(usage, price)
}

/** Reserves a cost. When it fits only if calls under way cost less than reserved, waits for them up to 150 s. */
async function reserveOrWait(
  deps: BudgetDeps,
  attempt: CallAttempt,
  worst: Cost,
  signal: AbortSignal | undefined,
) {
  const end = performance.now() + 1000 * WAIT_SECONDS_MAX
  for (let wait = POLL_MS_MIN; ; wait = Math.min(1.5 * wait, POLL_MS_MAX)) {
    const reserved = await withPostgresRetry(deps.observe, () => reserve(deps.db, attempt, worst))
    if (reserved.status !== 'waits' || performance.now() > end) return reserved
    await sleep(wait, undefined, signal === undefined ? {} : { signal })
  }
}
