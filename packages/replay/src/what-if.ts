import { asJson, type BeingName, canonicalJson, type Json, type RoleName, type SpacePath } from '@treeos/core'
import { compileFlow, explainFlow, type RoleFlow, requireFlow } from '@treeos/roles'
import { askedIn, type Db, findDecision, listOutcomesBetween, type StoredOutcome } from '@treeos/store'
import type { Registry } from '@treeos/world'
import { ErasedError } from './loaded-reel.ts'
import { PastStates } from './past-states.ts'
import type { RecomputedMoment } from './recompute.ts'
import {
  judgeSupposed,
  liveSupposed,
  type PastScene,
  readScene,
  type SupposedDeps,
  type SupposedVerdict,
} from './supposition.ts'

export interface WhatIfRequest {
  readonly being: BeingName
  /** the edited flow, not validated yet */
  readonly flow: unknown
  /** number of the first moment to compare; default 1 */
  readonly since?: number | undefined
  /** number of the last moment to compare; default the newest */
  readonly until?: number | undefined
}

/** The stack of a moment, or the reason of its skip. */
export interface WornStack {
  readonly primary: RoleName | null
  readonly stacked: readonly RoleName[]
  readonly skip?: string
}

/** A moment that differs under the edited flow. */
export interface Difference {
  readonly n: number
  /** ISO 8601, UTC */
  readonly openedAt: string
  readonly differs: readonly ('stack' | 'surface' | 'prompt')[]
  readonly was: WornStack
  readonly would: WornStack
  /** why a gate would refuse the act of the moment; null when there was no act, or the gates would pass it */
  readonly refused: { readonly code: string; readonly message: string } | null
  /** the edited flow read nothing of the place, which is hidden from who asks; left out otherwise */
  readonly hidden?: true
}

/** The clauses of a flow that give a moment its roles. */
export interface JudgedMoment {
  readonly n: number
  /** ISO 8601, UTC */
  readonly openedAt: string
  /** their places in the flow, from 0 */
  readonly clauses: readonly number[]
  /** where the primary role comes from; null when there is none */
  readonly source: 'clause' | 'default' | 'asked' | null
}

/** Both are oldest first. */
export interface FlowComparison {
  readonly judged: readonly JudgedMoment[]
  readonly differences: readonly Difference[]
}

/** The moments that differ under another flow. See {@link compareFlow}. */
export const whatIf = async (...asked: Parameters<typeof compareFlow>): Promise<readonly Difference[]> =>
  (await compareFlow(...asked)).differences

/**
 * Recomputes the moments of a being under another flow: which clauses give each its roles, and which moments
 * differ. Calls no model. It cannot know what a model would decide with another prompt, so it judges each
 * moment alone, with the past as it was. A role that only the edited flow names, and that did not exist at
 * that time, is used as it is today.
 * @param maySee whether who asks may see a place: the edited flow reads no other, or it would tell what is
 *   there. Left out for whoever may read the database
 * @throws {TreeosError} INVALID_INPUT for a malformed flow
 */
export async function compareFlow(
  { db, registry }: { readonly db: Db; readonly registry: Registry },
  { being, flow, since = 1, until }: WhatIfRequest,
  maySee: (path: SpacePath) => Promise<boolean> = async () => true,
): Promise<FlowComparison> {
  const edited = requireFlow(flow)
  const past = new PastStates(db)
  const judged: JudgedMoment[] = []
  const differences: Difference[] = []
  for (const outcome of await listOutcomesBetween(db, being, { since, until })) {
    if (outcome.reason === 'superseded') continue
    try {
      const { moment, difference } = await compareMoment({ db, registry, past, maySee }, outcome, edited)
      judged.push(moment)
      if (difference !== null) differences.push(difference)
    } catch (error) {
      // what it read was erased: nothing can be said about it
      if (!(error instanceof ErasedError)) throw error
    }
  }
  return { judged, differences }
}

async function compareMoment(
  { maySee, ...deps }: SupposedDeps & { readonly maySee: (path: SpacePath) => Promise<boolean> },
  outcome: StoredOutcome,
  flow: RoleFlow,
): Promise<{ readonly moment: JudgedMoment; readonly difference: Difference | null }> {
  const scene = await readScene(deps, outcome)
  const isShown = await maySee(scene.was.me.space)
  const would = await liveSupposed(deps, scene, { flow, ...(isShown ? {} : { isPlaceHidden: true }) })
  const { was, open } = scene
  const differs = (['stack', 'surface', 'prompt'] as const).filter(
    (part) => canonicalJson(partOf(was, part)) !== canonicalJson(partOf(would, part)),
  )
  const refused = await newRefusal(deps, scene, would)
  const at = { n: outcome.n, openedAt: new Date(open.openedAt).toISOString() }
  const moment = { ...at, ...clausesWorn(scene, would) }
  if (differs.length === 0 && refused === null) return { moment, difference: null }
  const difference = {
    ...at,
    differs,
    was: wornStackOf(was),
    would: wornStackOf(would),
    refused,
    ...(isShown || !would.seen.isPlaceHidden ? {} : { hidden: true as const }),
  }
  return { moment, difference }
}

function clausesWorn(
  { open }: PastScene,
  { seen: { program, context } }: RecomputedMoment,
): Pick<JudgedMoment, 'clauses' | 'source'> {
  const { clauses, source } = explainFlow(compileFlow(program.flow), {
    context,
    cognition: open.cognition.kind,
    roles: program.roles,
    defaultRole: program.defaultRole,
    asked: askedIn(open),
  })
  const worn = clauses.filter(({ result }) => result === 'primary' || result === 'stacked')
  return { clauses: worn.map(({ index }) => index), source }
}

/**
 * One part of a moment for the comparison. For a prompt that cannot be composed here it is the missing role.
 */
function partOf(recomputed: RecomputedMoment, part: Difference['differs'][number]): Json {
  if (part === 'prompt') return recomputed.missing ?? recomputed.prompt
  return asJson(part === 'surface' ? (recomputed.seen.face?.surface ?? null) : recomputed.stack)
}

function wornStackOf({ seen: { result } }: RecomputedMoment): WornStack {
  const { primary, stacked, skip } = result
  return { primary, stacked, ...(skip === undefined ? {} : { skip }) }
}

/**
 * Asks both gates about the act again, under the old and the edited flow.
 * @returns a refusal that only the edited one has
 */
async function newRefusal(
  deps: SupposedDeps,
  scene: PastScene,
  would: RecomputedMoment,
): Promise<Difference['refused']> {
  const { outcome, was } = scene
  const decided = outcome.kind === 'act' ? await findDecision(deps.db, outcome.moment) : null
  if (decided?.decision.kind !== 'call') return null
  if (would.stack === null)
    return { code: 'ROLE_UNAVAILABLE', message: `the flow gives no role: ${would.seen.result.skip}` }
  const { call } = decided.decision
  const now = supposedRefusal(await judgeSupposed(deps, scene, would, call))
  if (now === null) return null
  // A call that fails under both flows fails because the world changed between open and stamp.
  const then = supposedRefusal(await judgeSupposed(deps, scene, was, call))
  return then?.code === now.code && then.message === now.message ? null : now
}

/** A call that waits for its effect, or for a yes, passed both gates. */
const supposedRefusal = (judged: SupposedVerdict | null): Difference['refused'] =>
  judged?.verdict === 'refused' ? { code: judged.code ?? '', message: judged.message ?? '' } : null
