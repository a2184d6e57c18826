import { setTimeout as sleep } from 'node:timers/promises'
import { type Attempt, type Cost, type Db, reserve, settle } from '@treeos/chain'
import type { Breach } from '@treeos/core'
import type { Observer } from '../run/observer.ts'
import { withPostgresRetry } from '../run/postgres-retry.ts'
import { type Model, type ModelAnswer, type ModelRequest, ModelTransientError } from './model.ts'
import { costOf } from './prices.ts'

/** Longer than a model may take as a rule: what calls under way hold has come back by then, or is not going to. */
const WAIT_SECONDS_MAX = 150
const POLL_MS_MIN = 100
const POLL_MS_MAX = 1000

/** Where what is used up is kept. */
interface BudgetDeps {
  readonly db: Db
  readonly observe: Observer
}

const ZERO_COST: Cost = { tokens: 0, micros: 0 }

/**
 * Asks a model within the budgets above a being. The worst that the call may cost is set aside before it is made, and what
 * it did cost takes its place afterwards; when nobody can tell, the worst stays. So no budget is ever exceeded, whoever else
 * draws on it and whatever dies meanwhile. Without a budget above it a being is asked for as it is.
 * @returns a breach when nothing was asked
 * @throws {ModelTransientError} as the model does
 */
export async function askWithinBudgets(
  deps: BudgetDeps,
  model: Model,
  attempt: Attempt,
  request: ModelRequest,
): Promise<ModelAnswer | { readonly breach: Breach }> {
  const bounded = { ...request, maxTokens: model.answerTokensMax }
  const worst = costOf(
    { promptTokens: model.boundPrompt(bounded), completionTokens: model.answerTokensMax },
    model.price,
  )
  const reserved = await reserveOrWait(deps, attempt, worst, request.signal)
  switch (reserved.status) {
    case 'free':
      return model.decide(request)
    case 'waits':
    case 'breach':
      return { breach: reserved.breach }
    case 'over':
      throw new Error(`attempt ${attempt.attempt} of ${attempt.moment} came too late to call a model`)
  }
  try {
    const answer = await model.decide(bounded)
    await withPostgresRetry(deps.observe, () => settle(deps.db, attempt, costOfAnswer(answer, model)))
    return answer
  } catch (error) {
    if (error instanceof ModelTransientError) {
      const cost = error.isFree ? ZERO_COST : null
      await withPostgresRetry(deps.observe, () => settle(deps.db, attempt, cost))
    }
    throw error
  }
}

function costOfAnswer({ usage, refused }: ModelAnswer, { price }: Model): Cost | null {
  if (refused === true) return ZERO_COST
  return usage === null ? null : costOf(usage, price)
}

/** What fits only if calls under way take less than they might waits for them, a while. */
async function reserveOrWait(
  deps: BudgetDeps,
  attempt: Attempt,
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
