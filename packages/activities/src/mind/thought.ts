import {
  asJson,
  type Breach,
  canonicalJson,
  type DecidingModel,
  type Decision,
  type JsonObject,
  parseMomentId,
  quote,
  readPath,
  stanceOf,
  utf8Length,
} from '@treeos/core'
import { ENTRY } from '@treeos/overlay'
import type { ThinkInput } from '@treeos/protocol'
import { type LoadedMoment, readableBy } from '@treeos/reality'
import { renderSignature } from '@treeos/signature'
import { digestOf, openSealed } from '@treeos/store'
import { isAwaited, whyParked } from '@treeos/world'
import type { BeatDeps } from '../deps.ts'
import { withFiles } from '../files/with-files.ts'
import { failureDecision } from '../guard/failure-decision.ts'
import { withPostgresRetry } from '../guard/guard.ts'
import { type Model, type ModelAnswer, ModelTransientError } from '../model/model.ts'
import type { AnsweringModel } from '../model/request.ts'
import { composeOnce } from '../moments/open-moments.ts'
import { sealedDecision } from './call-sealer.ts'
import type { MindAttempt, MindResult } from './calls.ts'
import { askInOrder } from './fallbacks.ts'
import { mayWaitForOthers, needsNoMind } from './no-mind.ts'
import { decisionFrom } from './prose.ts'
import { resolveOverlay } from './resolve-overlay.ts'
import { runScript } from './script.ts'
import { wordSenderOf } from './word-sender.ts'

const unasked = (decision: Decision): MindResult => ({
  decision,
  usage: null,
  settlement: null,
  overlay: null,
})

/**
 * Asks the model of a being, or runs its script, once. Neither where the moment needs no mind.
 * @throws {ModelTransientError} when the model may answer a later attempt
 */
export async function askMind(
  deps: BeatDeps,
  loaded: LoadedMoment,
  stack: ThinkInput['stack'],
  at: MindAttempt,
): Promise<MindResult> {
  if (await withPostgresRetry(deps.observe, () => needsNoMind(deps.db, loaded, stack)))
    return unasked({ kind: 'see', content: null })
  if (mayWaitForOthers(loaded)) {
    const { role } = await withPostgresRetry(deps.observe, () => composeOnce(deps, loaded, stack))
    if (role.onAnswers === 'all') return unasked({ kind: 'see', content: null })
  }
  const started = performance.now()
  const isModel = loaded.record.cognition.kind === 'llm'
  try {
    const read = await readableBy(loaded, (sealed) => openSealed(deps.db, sealed))
    const thought = isModel
      ? await askModel(deps, read, stack, at)
      : unasked(await runScript(deps, read, stack))
    // An answer is not lost because Postgres is away: the model would be asked again.
    const decision = await withPostgresRetry(deps.observe, () =>
      sealedDecision(deps, loaded, thought.decision),
    )
    return decision === thought.decision ? thought : { ...thought, decision }
  } finally {
    const { being } = parseMomentId(loaded.record.moment)
    deps.memory.pace.remember(being, isModel ? modelName(deps, loaded) : null, performance.now() - started)
  }
}

async function askModel(
  deps: BeatDeps,
  loaded: LoadedMoment,
  stack: ThinkInput['stack'],
  { attempt, signal, reservation }: MindAttempt,
): Promise<MindResult> {
  const model = modelOf(deps, loaded)
  if ('kind' in model) return unasked(model)
  const { signature, tools, shown, role, answersBy, missing, digests } = await withPostgresRetry(
    deps.observe,
    () => composeOnce(deps, loaded, stack),
  )
  if (missing !== null)
    return unasked(
      failureDecision('ROLE_UNAVAILABLE', `role ${missing} needs code that is not loaded in this worker`),
    )
  const { moment } = loaded.record
  const isRead = (operation: string) => deps.registry.operations.get(operation)?.reads === true
  const overlay = await resolveOverlay(deps, { record: loaded.record, sources: loaded.overlays }, ENTRY)
  if (overlay !== null && 'kind' in overlay) return unasked(overlay)
  const shownWith = await withPostgresRetry(deps.observe, () =>
    withFiles(deps.db, renderSignature(signature, overlay?.value ?? null), loaded.face?.files),
  )
  // what repeats an overlay is masked only at the end
  const heard: { answering: AnsweringModel | null } = { answering: null } // of the last one that was asked
  const telling = overlay === null ? wordSenderOf(deps, loaded, { role, answersBy }, attempt) : null
  try {
    const askedAt = performance.now()
    const asked = await askInOrder<ModelAnswer>(deps, {
      model,
      moment,
      attempt,
      reservation,
      request: {
        ...shownWith,
        tools,
        shown,
        severalCalls: [...shown.doOperations.keys()].some(isRead),
        forceToolCall: role.forceToolCall && isAwaited(loaded.record),
        signal,
        ...answerLimitOf(loaded),
        onAnswered: (told) => {
          heard.answering = told
        },
        ...(telling === null ? {} : { onSaying: (saying) => telling.hear(saying) }),
      },
      callOf: (found) => found,
      failureOf: ({ decision }) => (decision.kind === 'failure' ? decision.message : null),
    })
    if ('breach' in asked) return unasked(overBudget(loaded, asked.breach))
    const { answer, settlement } = asked
    const decided = decisionFrom(answer, { role, answersBy, isRead }, loaded.record)
    const decision = { ...decided, model: decidingModel(asked.model, heard.answering) }
    telling?.end('answered')
    const { usage } = answer
    deps.observe.model(
      answer.decision.kind,
      usage === null ? null : { prompt: usage.promptTokens, completion: usage.completionTokens },
    )
    return {
      decision: overlay?.mask(decision) ?? decision,
      usage: asJson({ ...usage, model: asked.model.name, seconds: secondsSince(askedAt) }),
      settlement,
      overlay: overlay?.record ?? null,
      ...(digests.prompt === null ? {} : { prompt: digests.prompt }),
    }
  } catch (error) {
    telling?.end('lost')
    if (error instanceof ModelTransientError) deps.observe.model('lost', null)
    throw error
  }
}

/** Most bytes of settings that a decision holds as they are. */
const SETTINGS_BYTES_MAX = 2048

/** Which model decided. Long settings stand there as their digest. */
function decidingModel({ name, connection }: Model, answering: AnsweringModel | null): DecidingModel {
  const settings = answering?.settings ?? {}
  const isShort = utf8Length(canonicalJson(settings)) <= SETTINGS_BYTES_MAX
  return {
    asked: name,
    named: answering?.named ?? null,
    ...(connection === undefined ? {} : { connection }),
    settings: isShort ? settings : { digest: digestOf(settings) },
  }
}

/** To the millisecond. */
const secondsSince = (at: number): number => Math.round(performance.now() - at) / 1000

const NO_MODEL =
  'no model is connected: set OPENAI_API_KEY or OPENAI_BASE_URL (and TREEOS_MODEL), or start Ollama, then restart'

/** Most model tokens of one answer, where an extension limits them for this being. */
export function answerLimitOf({ face }: Pick<LoadedMoment, 'face'>): { maxTokens?: number } {
  const limit = readPath(face?.me.qualities, ['llm', 'max-tokens'])
  return typeof limit === 'number' ? { maxTokens: limit } : {}
}

/**
 * The model of the being's own connection, else of the reality's default one, under the name that an
 * extension gave the being; otherwise the failure that says why.
 */
export function modelOf(
  { model, connections }: BeatDeps,
  { record, face }: LoadedMoment,
): Model | Extract<Decision, { kind: 'failure' }> {
  const { connection: named, name } = modelChosenBy(face?.me.qualities)
  const asked = (found: Model) => (typeof name === 'string' ? found.as(name) : found)
  if (named === undefined || named === null)
    return model === null ? failureDecision('LLM_NOT_CONFIGURED', NO_MODEL) : asked(model)
  const own = typeof named === 'string' ? connections.get(named) : undefined
  if (own !== undefined) return asked(own)
  const there = [...connections.keys()].sort().join(', ')
  return failureDecision(
    'LLM_NOT_CONFIGURED',
    `${stanceOf(parseMomentId(record.moment).being)} uses the model connection ${quote(named)}, which this worker does not have; ` +
      `it has ${there === '' ? 'none with a name' : there}: add it to the file of TREEOS_MODELS, then restart`,
  )
}

/** The model connection and the name of a model that the qualities of a being name, unchecked. */
export const modelChosenBy = (qualities: JsonObject | undefined) => ({
  connection: readPath(qualities, ['llm', 'connection']),
  name: readPath(qualities, ['llm', 'model']),
})

function modelName(deps: BeatDeps, loaded: LoadedMoment): string | null {
  const model = modelOf(deps, loaded)
  return 'kind' in model ? null : model.name
}

/** Whether the mind of a moment is known to take longer than the short way allows, or finds no room there. */
export function isSlowMind(deps: BeatDeps, loaded: LoadedMoment): boolean {
  const { moment, cognition } = loaded.record
  if (cognition.kind === 'human') return false
  if (cognition.kind === 'llm' && !deps.memory.calls.hasRoom) return true
  return deps.memory.pace.isSlow(
    parseMomentId(moment).being,
    cognition.kind === 'llm' ? modelName(deps, loaded) : null,
  )
}

function overBudget({ record }: LoadedMoment, breach: Breach): Decision {
  const { being } = parseMomentId(record.moment)
  return { ...failureDecision('BUDGET_EXCEEDED', whyParked(being, breach)), breach }
}
