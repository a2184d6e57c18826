import {
  answerLimitOf,
  decisionFrom,
  type Model,
  type ModelAnswer,
  type ModelRequest,
  modelChosenBy,
  withFiles,
} from '@treeos/activities'
import {
  addressesOf,
  asJson,
  canonicalJson,
  type Decision,
  isSameJson,
  type Json,
  type OutcomeKind,
  parseDecision,
  type VerbCall,
} from '@treeos/core'
import { asIfSealed, contentHeard, readableBy } from '@treeos/reality'
import {
  judgeSupposed,
  liveSupposed,
  type PastScene,
  type RecomputedMoment,
  type SupposedDeps,
} from '@treeos/replay/supposed'
import { findDecision, openShown } from '@treeos/store'
import { composeMoment, isAwaited } from '@treeos/world'
import { type Models, modelNamed, type TrialModels } from './models.ts'
import type { Candidate } from './shape.ts'

/** How a past moment ended. */
export interface RecordedEnd {
  readonly roles: readonly string[]
  readonly outcome: OutcomeKind
  readonly reason: string | null
  readonly decision: Decision | null
}

/** What a decision of a trial came to. Nothing of it was done. */
export type Verdict = 'allowed' | 'asks' | 'refused' | 'failed' | 'skipped'

/** A past moment asked again of one candidate. */
export interface AskedAgain {
  readonly roles: readonly string[]
  readonly model: string | null
  readonly decision: Decision | null
  readonly verdict: Verdict
  readonly code?: string
  readonly message?: string
  /** the gates read a thread as it is now */
  readonly isOfThread?: true
  /** in the currency of the prices; null when it is not known */
  readonly cost: number | null
  readonly tokens: number | null
  readonly seconds: number | null
  readonly isKept: boolean
  /** of the prompt, to compare with the recorded one */
  readonly prompt: string | null
}

export const readEnd = async (
  { db }: Pick<SupposedDeps, 'db'>,
  { outcome }: PastScene,
): Promise<RecordedEnd> => ({
  roles: rolesIn(outcome.record.stack),
  outcome: outcome.kind,
  reason: outcome.reason,
  decision: (await findDecision(db, outcome.moment))?.decision ?? null,
})

const rolesIn = (stack: RecomputedMoment['stack']): string[] =>
  stack === null ? [] : [stack.primary, ...stack.stacked].map(({ name }) => name)

/** The moment as a candidate would have lived it, up to its prompt. */
export async function supposedBy(
  deps: SupposedDeps,
  scene: PastScene,
  { flow, roles, layout }: Candidate,
): Promise<RecomputedMoment> {
  const first = await liveSupposed(deps, scene, { flow, roles })
  const { specs } = first
  if (layout === undefined || specs.length === 0) return first
  return liveSupposed(deps, scene, {
    flow,
    roles: [
      ...roles.filter(({ name }) => !specs.some((spec) => spec.name === name)),
      ...specs.map((spec) => ({ ...spec, layout })),
    ],
  })
}

/**
 * A moment with the notes readable that it recalled, as its mind would have read them. The digest of its
 * prompt stays.
 */
async function asRead(
  deps: SupposedDeps,
  { open, content }: PastScene,
  would: RecomputedMoment,
): Promise<RecomputedMoment> {
  const { face } = would.seen
  const read = await readableBy({ noted: open, face }, (sealed) => openShown(deps.db, open.moment, sealed))
  if (read.face === face || read.face === null || would.composed === null) return would
  const heard = contentHeard(open, read.face, content)
  return {
    ...would,
    composed: composeMoment(deps.registry, would.specs, read.face, { ...open, content: heard }),
  }
}

/** What a model would be sent; null when the moment is skipped, or needs code that is not loaded. */
export function requestOf(
  { open }: PastScene,
  { composed, seen, missing }: RecomputedMoment,
): ModelRequest | null {
  if (composed === null || missing !== null) return null
  const { prompt, tools, shown, role } = composed
  const forceToolCall = role.forceToolCall && isAwaited(open)
  return { prompt, tools, shown, forceToolCall, ...answerLimitOf({ face: seen.face }) }
}

/** @throws {TreeosError} LLM_NOT_CONFIGURED */
export const modelOfCandidate = (models: Models, { model }: Candidate, { me }: RecomputedMoment): Model => {
  const own = modelChosenBy(me.qualities)
  const text = (value: Json | undefined) => (typeof value === 'string' ? value : undefined)
  return modelNamed(models, model ?? { connection: text(own.connection), name: text(own.name) })
}

const MICROS = 1_000_000

/** Asks one candidate. @throws {StoppedError} */
export async function askCandidate(
  deps: SupposedDeps & { readonly models: Models; readonly asking: TrialModels },
  scene: PastScene,
  candidate: Candidate,
): Promise<AskedAgain> {
  const would = await asRead(deps, scene, await supposedBy(deps, scene, candidate))
  const worn = { roles: rolesIn(would.stack), prompt: would.prompt }
  const unasked = {
    ...worn,
    model: null,
    decision: null,
    cost: null,
    tokens: null,
    seconds: null,
    isKept: false,
  }
  const asked = requestOf(scene, would)
  const files = would.seen.face?.files
  const request = asked === null ? null : { ...asked, ...(await withFiles(deps.db, asked.prompt, files)) }
  if (request === null || would.composed === null) {
    const { missing, seen } = would
    return missing === null
      ? {
          ...unasked,
          verdict: 'skipped',
          message: seen.result.skip ?? 'the moment would not have been lived',
        }
      : {
          ...unasked,
          verdict: 'failed',
          code: 'ROLE_UNAVAILABLE',
          message: `role ${missing} needs code that is not loaded`,
        }
  }
  const model = modelOfCandidate(deps.models, candidate, would)
  const told = await deps.asking.ask<ModelAnswer>(model, request, (bounded) => model.decide(bounded))
  const { ignoredCalls } = told.answer
  const answer = { decision: parseDecision(asJson(told.answer.decision)), ignoredCalls }
  const decision = decisionFrom(answer, would.composed, scene.open)
  const judged = await judgeTrialMoment(deps, scene, would, decision)
  const { usage, seconds, micros, isKept } = told
  const tokens = usage === null ? null : usage.promptTokens + usage.completionTokens
  return {
    ...worn,
    ...{ model: model.name, decision, ...judged },
    ...{ cost: micros === null ? null : micros / MICROS, tokens, seconds, isKept },
  }
}

async function judgeTrialMoment(
  deps: SupposedDeps,
  scene: PastScene,
  would: RecomputedMoment,
  decision: Decision,
): Promise<Pick<AskedAgain, 'verdict' | 'code' | 'message' | 'isOfThread'>> {
  if (decision.kind === 'failure')
    return { verdict: 'failed', code: decision.code, message: decision.message }
  if (decision.kind === 'see') return { verdict: 'allowed' }
  const call = await asIfSealed(deps.registry, decision.call)
  return (await judgeSupposed(deps, scene, would, call)) ?? { verdict: 'skipped' }
}

/**
 * What differs between what was recorded and what was decided now. Texts that are not the same count as
 * another `content`.
 */
export function differencesOf(
  was: RecordedEnd & { readonly prompt: string | null },
  now: AskedAgain,
): string[] {
  const verdict: Verdict =
    was.outcome === 'waiting'
      ? 'asks'
      : was.outcome === 'failure'
        ? was.reason === 'FORBIDDEN'
          ? 'refused'
          : 'failed'
        : was.outcome === 'skipped'
          ? 'skipped'
          : 'allowed'
  return [
    ...(isSameJson([...was.roles], [...now.roles]) ? [] : ['roles']),
    ...(was.prompt === now.prompt ? [] : ['prompt']),
    ...(verdict === now.verdict ? [] : ['verdict']),
    ...decisionDiffers(was.decision, now.decision),
  ]
}

/** Parts of a decision, so that two of them can be compared. */
const PARTS = ['decision', 'verb', 'operation', 'target', 'content'] as const

function decisionDiffers(was: Decision | null, now: Decision | null): string[] {
  const [a, b] = [decisionParts(was), decisionParts(now)]
  return PARTS.filter((part) => canonicalJson(a[part]) !== canonicalJson(b[part]))
}

function decisionParts(decision: Decision | null): Record<(typeof PARTS)[number], Json> {
  const none = { decision: decision?.kind ?? null, verb: null, operation: null, target: null, content: null }
  if (decision === null) return none
  if (decision.kind === 'failure') return { ...none, content: decision.code }
  if (decision.kind === 'see') return { ...none, content: decision.content }
  return { ...none, ...partsOfCall(decision.call) }
}

function partsOfCall(call: VerbCall) {
  const { verb } = call
  if (call.verb === 'see') return { verb, target: addressesOf(call).join(' ') }
  if (call.verb === 'be') return { verb, operation: call.operation, content: call.args }
  if (call.verb === 'do') return { verb, operation: call.operation, target: call.target, content: call.args }
  return { verb, target: call.target, content: call.content }
}

export const isSameDecision = (differs: readonly string[]): boolean =>
  !PARTS.some((part) => differs.includes(part))
