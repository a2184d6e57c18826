import { ApplicationFailure, Context } from '@temporalio/activity'
import { listFaults, recordDecision, type Settlement, type StoredDecision } from '@treeos/chain'
import {
  asJson,
  type Breach,
  type Decision,
  type Json,
  parseMomentId,
  quote,
  readPath,
  stanceOf,
} from '@treeos/core'
import type { DecisionRef, ThinkInput } from '@treeos/protocol'
import { composeLoaded, type LoadedMoment } from '@treeos/reality'
import { isAwaited, whyParked } from '@treeos/world'
import type { BeatDeps } from './deps/beat-deps.ts'
import { findDecision, loadMoment } from './deps/memory.ts'
import { askWithinBudgets } from './model/ask-within-budgets.ts'
import { failureDecision } from './model/failure-decision.ts'
import { describeLosses, nextDelayMs } from './model/losses.ts'
import { type Model, ModelTransientError } from './model/model.ts'
import { runScript } from './model/script.ts'
import { crashPoint } from './run/crash-point.ts'
import { reportFault } from './run/fault.ts'
import { heartbeating } from './run/heartbeat.ts'
import { withPostgresRetry } from './run/postgres-retry.ts'

/**
 * Momentum: the model or script of the being decides. A rerun returns the stored decision and calls neither.
 * @returns kind and digest of the decision; an error that a retry cannot fix is a decision of kind `failure`, and so is an
 *   outage that lasts longer than the model's patience
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
    const { decision, usage, settlement } =
      loaded.record.cognition.kind === 'llm'
        ? await askModel(deps, loaded, stack)
        : unasked(await runScript(deps, loaded, stack))
    crashPoint('think:after-mind')
    const recorded = await wait(() => recordDecision(deps.db, moment, decision, usage, settlement))
    deps.memory.decisions.set(moment, recorded)
    crashPoint('think:after-decision')
    return refOf(recorded)
  })
}

const refOf = ({ decision, digest }: StoredDecision): DecisionRef => ({ kind: decision.kind, digest })

interface Thought {
  readonly decision: Decision
  readonly usage: Json
  /** of the budgets that paid for it; null where none did */
  readonly settlement: Settlement | null
}
const unasked = (decision: Decision): Thought => ({ decision, usage: null, settlement: null })

async function askModel(deps: BeatDeps, loaded: LoadedMoment, stack: ThinkInput['stack']): Promise<Thought> {
  const model = modelOf(deps, loaded)
  if ('kind' in model) return unasked(model)
  const { prompt, tools, role, missing } = await withPostgresRetry(deps.observe, () =>
    composeLoaded(deps.db, deps.registry, loaded, stack),
  )
  if (missing !== null)
    return unasked(
      failureDecision('ROLE_UNAVAILABLE', `role ${missing} needs code that is not loaded in this worker`),
    )
  const started = performance.now()
  try {
    const { cancellationSignal: signal, info } = Context.current()
    const { moment } = loaded.record
    const asked = await askWithinBudgets(
      deps,
      model,
      { being: parseMomentId(moment).being, moment, attempt: info.attempt },
      { prompt, tools, forceToolCall: role.forceToolCall && isAwaited(loaded.record), signal },
    )
    if ('breach' in asked) return unasked(overBudget(loaded, asked.breach))
    const { answer, settlement } = asked
    const { usage } = answer
    deps.observe.model(
      answer.decision.kind,
      usage === null ? null : { prompt: usage.promptTokens, completion: usage.completionTokens },
    )
    return { decision: answer.decision, usage: asJson({ ...usage, model: model.name }), settlement }
  } catch (error) {
    if (!(error instanceof ModelTransientError)) throw error
    deps.observe.model('lost', null)
    return unasked(await tryLater(deps, loaded, model, error, (performance.now() - started) / 1000))
  }
}

/**
 * Fails the attempt, so that Temporal makes another one after a delay.
 * @returns the failure of the moment, when no other attempt is made
 */
async function tryLater(
  deps: BeatDeps,
  { record: { moment } }: LoadedMoment,
  { patienceSeconds, attemptsMax }: Model,
  error: ModelTransientError,
  seconds: number,
): Promise<Decision> {
  const { attempt, retryPolicy } = Context.current().info
  const { retryAfterMs } = error
  await reportFault(deps, moment, { part: 'model', attempt, seconds, error })
  const faults = await withPostgresRetry(deps.observe, () => listFaults(deps.db, moment))
  const losses = faults.filter(({ part }) => part === 'model')
  const delay = nextDelayMs({
    losses,
    retryAfterMs,
    patienceSeconds,
    attemptsMax,
    chance: Math.random(),
  })
  const isLast = attempt >= (retryPolicy?.maximumAttempts ?? Number.POSITIVE_INFINITY)
  if (delay === null || isLast) return failureDecision(error.code, describeLosses(losses, retryAfterMs))
  throw ApplicationFailure.create({
    type: error.code,
    message: error.message,
    nextRetryDelay: Math.max(1, delay),
  })
}

/** The model of the being's own connection, else of the reality's default one; otherwise the failure that says why. */
function modelOf({ model, connections }: BeatDeps, { record, face }: LoadedMoment) {
  const named = readPath(face?.me.qualities, ['llm', 'connection'])
  if (named === undefined || named === null) return model ?? failureDecision('LLM_NOT_CONFIGURED', NO_MODEL)
  const own = typeof named === 'string' ? connections.get(named) : undefined
  if (own !== undefined) return own
  const there = [...connections.keys()].sort().join(', ')
  return failureDecision(
    'LLM_NOT_CONFIGURED',
    `${stanceOf(parseMomentId(record.moment).being)} uses the model connection ${quote(named)}, which this worker does not have; ` +
      `it has ${there === '' ? 'none with a name' : there}: add it to the file of TREEOS_MODELS, then restart`,
  )
}

function overBudget({ record }: LoadedMoment, breach: Breach): Decision {
  const { being } = parseMomentId(record.moment)
  return { ...failureDecision('BUDGET_EXCEEDED', whyParked(being, breach)), breach }
}

const NO_MODEL =
  'no model is connected: set OPENAI_API_KEY or OPENAI_BASE_URL (and TREEOS_MODEL), or start Ollama, then restart'
