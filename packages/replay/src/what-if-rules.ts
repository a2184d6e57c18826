import {
  approvalOf,
  type BeingName,
  type FactDraft,
  type Json,
  type MomentId,
  type SpacePath,
  TreeosError,
  type VerbCall,
} from '@treeos/core'
import { type Db, findDecision, listOutcomesBetween, type StoredOutcome } from '@treeos/store'
import {
  COUNTED_KIND,
  evolve,
  parseKeyPath,
  type Registry,
  type Row,
  requireCovered,
  requireRules,
  setAtPath,
} from '@treeos/world'
import {
  isErased,
  judgeSupposed,
  type PastScene,
  PastStates,
  readScene,
  ruledOtherwise,
  type SupposedDeps,
  type SupposedRule,
} from './supposition.ts'

export interface WhatIfRules {
  readonly being: BeingName
  readonly space: SpacePath
  /**
   * where its rules are others, and the rules, which are merged with those that are there: as
   * `treeos space set` takes both
   */
  readonly field: string
  readonly value: Json
  /** number of the first moment to compare; default 1 */
  readonly since?: number | undefined
  /** number of the last one; default the last of all */
  readonly until?: number | undefined
}

/** A call that would have come to something else under other rules. */
export interface RuledOtherwise {
  readonly moment: MomentId
  readonly n: number
  /** ISO 8601, UTC */
  readonly openedAt: string
  readonly call: VerbCall
  /** `act`, `waiting`, or the code of a refusal */
  readonly was: string
  readonly would: string
  /** why it would be refused; null when it would not */
  readonly message: string | null
}

/**
 * Judges the calls of a being again, under another rule of a space and with the world as it was, and returns
 * those that would have come to something else. Nothing is asked of a model and nothing is written. What the
 * rules count begins with the first call that is compared, and only what would have been done without a
 * question counts. A moment that brought a yes is left out: that which asked for it stands for both.
 * @throws {TreeosError} INVALID_INPUT for malformed rules, and for those that could have no effect
 */
export async function whatIfRules(
  { db, registry }: { readonly db: Db; readonly registry: Registry },
  { being, space, field, value, since = 1, until }: WhatIfRules,
): Promise<RuledOtherwise[]> {
  const path = parseKeyPath(field, 'a rule')
  if (path[0] !== 'permissions')
    throw new TreeosError(
      'INVALID_INPUT',
      `${field} is not a rule: it begins with permissions, as in permissions.do`,
    )
  const { permissions } = setAtPath({}, path, value, true)
  requireRules(undefined, permissions)
  requireCovered(undefined, permissions, { of: 'permissions', space, known: registry.known })
  const bench = {
    db,
    registry,
    past: new PastStates(db),
    space,
    path,
    value,
    counted: new Map<string, Row>(),
  }
  const found: RuledOtherwise[] = []
  for (const outcome of await listOutcomesBetween(db, being, { since, until })) {
    if (outcome.reason === 'superseded') continue
    try {
      const one = await compareCall(bench, outcome)
      if (one !== null) found.push(one)
    } catch (error) {
      if (!isErased(error)) throw error // what it read was erased: nothing can be said about it
    }
  }
  return found
}

interface RuleBench extends SupposedDeps, SupposedRule {
  readonly counted: Map<string, Row>
}

async function compareCall(bench: RuleBench, outcome: StoredOutcome): Promise<RuledOtherwise | null> {
  const decision = (await findDecision(bench.db, outcome.moment))?.decision
  if (decision?.kind !== 'call' || decision.call.verb === 'see') return null
  const scene = await readScene(bench, outcome)
  if (approvalOf(scene.open.wake) !== null) return null
  const { call } = decision
  const judged = await judgePastMoment(bench, scene, call)
  if (judged === null) return null
  const { would, message } = judged
  const was =
    outcome.kind === 'act' || outcome.kind === 'waiting' ? outcome.kind : (outcome.reason ?? outcome.kind)
  if (was === would) return null
  const { moment: id, n } = outcome
  const openedAt = new Date(scene.open.openedAt).toISOString()
  return { moment: id, n, openedAt, call, was, would, message }
}

/** @returns null when the moment wore no role */
async function judgePastMoment(
  bench: RuleBench,
  scene: PastScene,
  call: VerbCall,
): Promise<Pick<RuledOtherwise, 'would' | 'message'> | null> {
  const moment = ruledOtherwise(scene, bench)
  const judged = await judgeSupposed(bench, scene, moment, call, (facts) => count(bench, scene, facts))
  if (judged === null) return null
  const { verdict, code = '', message = null } = judged
  return { would: { allowed: 'act', asks: 'waiting', refused: code }[verdict], message }
}

function count({ counted }: RuleBench, { open, was }: PastScene, facts: readonly FactDraft[]): void {
  for (const fact of facts.filter(({ kind }) => kind === COUNTED_KIND)) {
    const row = evolve(counted.get(fact.reel) ?? null, { ...fact, actor: was.me.name, at: open.openedAt })
    if (row !== null) counted.set(fact.reel, row)
  }
}
