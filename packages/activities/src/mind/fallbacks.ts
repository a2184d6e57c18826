import { setTimeout as sleep } from 'node:timers/promises'
import { type MomentId, parseMomentId } from '@treeos/core'
import { settle } from '@treeos/store'
import type { BeatDeps } from '../deps.ts'
import { withPostgresRetry } from '../guard/guard.ts'
import {
  askWithinBudgets,
  type BudgetedModel,
  newAttempt,
  type OpeningReservation,
} from '../model/ask-within-budgets.ts'
import { DEFAULT_CONNECTION } from '../model/connections.ts'
import { type ChargedAnswer, type Model, type ModelRequest, ModelTransientError } from '../model/model.ts'
import { reportFault } from '../moments/fault.ts'
import { signalOutage } from './outage-signal.ts'
import { connectionOf, isOutage } from './outages.ts'

type AnswerWithinBudgets<A extends ChargedAnswer> = Awaited<ReturnType<typeof askWithinBudgets<A>>>

interface FallbackAttempt<A extends ChargedAnswer> {
  readonly model: Model
  readonly moment: MomentId
  /** number of the reservation */
  readonly attempt: number
  readonly reservation: OpeningReservation | null
  readonly request: ModelRequest
  /** how each model is called; left out: for a decision */
  readonly callOf: (model: Model) => BudgetedModel<A>
  /** why an answer cannot be used; null for one that can */
  readonly failureOf: (answer: A) => string | null
}

/**
 * The models that stand in for each other: the first one, then its fallbacks in their order, as far as this
 * worker has them.
 */
function modelsOf(
  { connections, model: own }: Pick<BeatDeps, 'connections' | 'model'>,
  model: Model,
): readonly Model[] {
  const others = (model.fallbacks ?? []).map((name) =>
    name === DEFAULT_CONNECTION ? own : connections.get(name),
  )
  return [model, ...others.filter((other): other is Model => other != null && other !== model)]
}

/**
 * Asks a model, and its fallbacks in order while there is no answer: a call that is lost, or one that the
 * provider refuses. Each is a call within the budgets, and each that gave no answer is recorded. A model that
 * is down is asked last.
 * @returns the answer, and the model that gave it
 * @throws {ModelTransientError} of the last one
 */
export async function askInOrder<A extends ChargedAnswer>(
  deps: BeatDeps,
  asking: FallbackAttempt<A>,
): Promise<AnswerWithinBudgets<A> & { readonly model: Model }> {
  const { moment, attempt, reservation, request, callOf, failureOf } = asking
  const models = deps.memory.outages.inOrder(modelsOf(deps, asking.model))
  const lost: ModelLoss[] = []
  for (const [at, model] of models.entries()) {
    const started = performance.now()
    const isLast = at === models.length - 1
    const call = { being: parseMomentId(moment).being, moment, attempt: at === 0 ? attempt : newAttempt() }
    const note = (message: string) => {
      const seconds = (performance.now() - started) / 1000
      const number = (Math.max(1, attempt) - 1) * models.length + at + 1
      lost.push({ attempt: number, seconds, error: new Error(`${connectionOf(model)}: ${message}`) })
    }
    try {
      const asked = await askWithinBudgets(deps, callOf(model), call, at === 0 ? reservation : null, request)
      if ('breach' in asked) return { ...asked, model }
      const failure = asked.answer.refused === true ? failureOf(asked.answer) : null
      noteAnswer(deps, model, asked.answer)
      if (failure === null || isLast) {
        if (lost.length > 0) void reportLater(deps, moment, lost)
        return { ...asked, model }
      }
      const { settlement } = asked
      if (settlement !== null)
        await withPostgresRetry(deps.observe, () => settle(deps.db, settlement, settlement.used))
      note(failure)
    } catch (error) {
      if (!(error instanceof ModelTransientError) || request.signal?.aborted === true) throw error
      noteLoss(deps, model, isOutage(error))
      if (isLast) {
        for (const fault of lost) await reportFault(deps, moment, { part: 'model', ...fault })
        error.tried = models.length
        throw error
      }
      deps.observe.model('lost', null)
      note(error.message)
    }
  }
  throw new Error('there is no model to ask')
}

interface ModelLoss {
  readonly attempt: number
  readonly seconds: number
  readonly error: Error
}

function noteAnswer(deps: BeatDeps, model: Model, { refused, unavailable }: ChargedAnswer): void {
  if (unavailable === true) noteLoss(deps, model, true, true)
  else if (refused !== true && deps.memory.outages.answered(connectionOf(model)))
    signalOutage(deps, connectionOf(model), false)
}

function noteLoss(deps: BeatDeps, model: Model, counts: boolean, isHard = false): void {
  const connection = connectionOf(model)
  if (counts && deps.memory.outages.lost(connection, isHard)) signalOutage(deps, connection, true)
}

const POLL_MS = 200
const POLLS_MAX = 150

/**
 * Records calls without an answer once the moment is stored: it must not be stored for them while it may be
 * stamped at once.
 */
async function reportLater(deps: BeatDeps, moment: MomentId, lost: readonly ModelLoss[]): Promise<void> {
  try {
    for (let i = 0; deps.memory.moments.held(moment) !== undefined && i < POLLS_MAX; i++)
      await sleep(POLL_MS, undefined, { ref: false })
    if (deps.memory.moments.held(moment) !== undefined) return
    for (const fault of lost) await reportFault(deps, moment, { part: 'model', ...fault })
  } catch (error) {
    deps.observe.error('recording a call without an answer', error)
  }
}
