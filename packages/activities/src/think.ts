import { ApplicationFailure, Context } from '@temporalio/activity'
import { recordDecision, type StoredDecision } from '@treeos/chain'
import { type Breach, type Decision, type Json, parseMomentId } from '@treeos/core'
import type { DecisionRef, ThinkInput } from '@treeos/protocol'
import { composeLoaded, type LoadedMoment } from '@treeos/reality'
import { whyParked } from '@treeos/world'
import type { BeatDeps } from './deps/beat-deps.ts'
import { findDecision, loadMoment } from './deps/memory.ts'
import { askWithinBudgets } from './model/ask-within-budgets.ts'
import { failureDecision } from './model/failure-decision.ts'
import { ModelTransientError } from './model/model.ts'
import { runScript } from './model/script.ts'
import { crashPoint } from './run/crash-point.ts'
import { heartbeating } from './run/heartbeat.ts'
import { withPostgresRetry } from './run/postgres-retry.ts'

/**
 * Momentum: the model or script of the being decides. A rerun returns the stored decision and calls neither.
 * @returns kind and digest of the decision; an error that a retry cannot fix is a decision of kind `failure`
 * @throws {ApplicationFailure} of type LLM_TIMEOUT or LLM_FAILED, retryable, when the model may answer a later attempt
 */
export function think(deps: BeatDeps, { moment, stack }: ThinkInput): Promise<DecisionRef> {
  // The first attempt at a moment that this process opened cannot have a stored decision, so it needs no query.
  const isFresh = Context.current().info.attempt === 1 && deps.memory.moments.has(moment)
  const wait = <T>(work: () => Promise<T>) => withPostgresRetry(deps.observe, work)
  return heartbeating(async () => {
    const stored = isFresh ? deps.memory.decisions.get(moment) : await wait(() => findDecision(deps, moment))
    if (stored != null) return refOf(stored)
    const loaded = await wait(() => loadMoment(deps, moment))
    crashPoint('think:before-mind')
    const { decision, usage } =
      loaded.record.cognition.kind === 'llm'
        ? await askModel(deps, loaded, stack)
        : { decision: await runScript(deps.registry, loaded, stack), usage: null }
    crashPoint('think:after-mind')
    const recorded = await wait(() => recordDecision(deps.db, moment, decision, usage))
    deps.memory.decisions.set(moment, recorded)
    crashPoint('think:after-decision')
    return refOf(recorded)
  })
}

const refOf = ({ decision, digest }: StoredDecision): DecisionRef => ({ kind: decision.kind, digest })

async function askModel(deps: BeatDeps, loaded: LoadedMoment, stack: ThinkInput['stack']) {
  if (deps.model === null) return { decision: failureDecision('LLM_NOT_CONFIGURED', NO_MODEL), usage: null }
  const { prompt, tools, role, missing } = await withPostgresRetry(deps.observe, () =>
    composeLoaded(deps.db, deps.registry, loaded, stack),
  )
  if (missing !== null)
    return {
      decision: failureDecision(
        'ROLE_UNAVAILABLE',
        `role ${missing} needs code that is not loaded in this worker`,
      ),
      usage: null,
    }
  try {
    const { cancellationSignal: signal, info } = Context.current()
    const { moment } = loaded.record
    const answer = await askWithinBudgets(
      deps,
      deps.model,
      { being: parseMomentId(moment).being, moment, attempt: info.attempt },
      { prompt, tools, forceToolCall: role.forceToolCall, signal },
    )
    if ('breach' in answer) return { decision: overBudget(loaded, answer.breach), usage: null }
    const { usage } = answer
    deps.observe.model(
      answer.decision.kind,
      usage === null ? null : { prompt: usage.promptTokens, completion: usage.completionTokens },
    )
    return { decision: answer.decision, usage: usage as Json }
  } catch (error) {
    if (!(error instanceof ModelTransientError)) throw error
    deps.observe.model('lost', null)
    throw ApplicationFailure.create({
      type: error.code,
      message: error.message,
      ...(error.retryAfterMs === undefined
        ? {}
        : { nextRetryDelay: Math.min(error.retryAfterMs, RETRY_AFTER_MS_MAX) }),
    })
  }
}

function overBudget({ record }: LoadedMoment, breach: Breach): Decision {
  const { being } = parseMomentId(record.moment)
  return { ...failureDecision('BUDGET_EXCEEDED', whyParked(being, breach)), breach }
}

/** Longest wait for a provider that sends Retry-After. A longer outage fails the moment, and the being goes on. */
const RETRY_AFTER_MS_MAX = 15_000

const NO_MODEL =
  'no model is connected: set OPENAI_API_KEY or OPENAI_BASE_URL (and TREEOS_MODEL), or start Ollama, then restart'
