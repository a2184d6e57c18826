import {
  approvalOf,
  asJson,
  type BeingName,
  isJsonObject,
  type Json,
  type MomentId,
  type SpacePath,
  TreeosError,
  type VerbCall,
} from '@treeos/core'
import { type Db, findDecision, listOutcomes, type StoredOutcome } from '@treeos/store'
import {
  COUNTED_KIND,
  evolve,
  parseKeyPath,
  type Registry,
  type Row,
  type RowSource,
  requireRules,
  type SpaceRow,
  setAtPath,
  spaceKey,
  WorldReader,
} from '@treeos/world'
import { decideSupposed, isErased, Past, type PastScene, readScene, type SupposedDeps } from './supposed.ts'

export interface WhatIfRules {
  readonly being: BeingName
  readonly space: SpacePath
  /** where its rules are others, and the rules, which are merged with those that are there: as `treeos space set` takes both */
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
 * Judges the calls of a being again, under another rule of a space and with the world as it was, and returns those that would have come to
 * something else. Nothing is asked of a model and nothing is written. What the rules count begins with the first call that is compared, and only
 * what would have been done without a question counts. A moment that brought a yes is left out: that which asked for it stands for both.
 * @throws {TreeosError} INVALID_INPUT for malformed rules
 */
export async function whatIfRules(
  { db, registry }: { readonly db: Db; readonly registry: Registry },
  { being, space, field, value, since = 1, until }: WhatIfRules,
): Promise<RuledOtherwise[]> {
  const path = parseKeyPath(field, 'a rule')
  if (path[0] !== 'permissions')
    throw new TreeosError(
      'INVALID_INPUT',
      `${field} is no rule: it begins with permissions, as in permissions.do`,
    )
  requireRules(undefined, setAtPath({}, path, value, true).permissions)
  const bench = { db, registry, past: new Past(db), space, path, value, counted: new Map<string, Row>() }
  const found: RuledOtherwise[] = []
  const outcomes =
    until === undefined
      ? await listOutcomes(db, being)
      : await listOutcomes(db, being, Math.max(0, until - since + 1), until + 1)
  for (const outcome of outcomes) {
    if (outcome.n < since || outcome.reason === 'superseded') continue
    try {
      const one = await compareCall(bench, outcome)
      if (one !== null) found.push(one)
    } catch (error) {
      if (!isErased(error)) throw error // what it read was erased: nothing can be said about it
    }
  }
  return found
}

interface Bench extends SupposedDeps {
  readonly space: SpacePath
  readonly path: readonly string[]
  readonly value: Json
  /** rows of what the other rules would have counted */
  readonly counted: Map<string, Row>
}

async function compareCall(bench: Bench, outcome: StoredOutcome): Promise<RuledOtherwise | null> {
  const decision = (await findDecision(bench.db, outcome.moment))?.decision
  if (decision?.kind !== 'call' || decision.call.verb === 'see') return null
  const scene = await readScene(bench, outcome)
  if (approvalOf(scene.open.wake) !== null) return null
  const { call } = decision
  const judged = await judge(bench, scene, call)
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
async function judge(
  bench: Bench,
  scene: PastScene,
  call: VerbCall,
): Promise<Pick<RuledOtherwise, 'would' | 'message'> | null> {
  const { counted } = bench
  const moment = { ...scene.was, reader: new WorldReader(ruledOtherwise(bench, scene.source)) }
  try {
    const act = await decideSupposed(bench, scene, moment, call)
    if (act === null) return null
    if (act.kind === 'waiting') return { would: 'waiting', message: null }
    const facts = act.kind === 'act' ? act.facts : (act.holds ?? [])
    for (const fact of facts.filter(({ kind }) => kind === COUNTED_KIND)) {
      const said = { ...fact, actor: moment.me.name, at: scene.open.openedAt }
      const row = evolve(counted.get(fact.reel) ?? null, said)
      if (row !== null) counted.set(fact.reel, row)
    }
    return { would: 'act', message: null } // one that waits for its effect passed both gates
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    return { would: error.code, message: error.message }
  }
}

/** The same world with other rules in the space, and with what these would have counted. */
const ruledOtherwise = ({ space, path, value, counted }: Bench, source: RowSource): RowSource => ({
  ...source,
  rows: async (keys) =>
    (await source.rows(keys)).map((found) => {
      if (found.key.startsWith('tally:')) return { ...found, state: asJson(counted.get(found.key) ?? null) }
      if (found.key !== spaceKey(space) || !isJsonObject(found.state)) return found
      const row = found.state as unknown as SpaceRow
      return { ...found, state: asJson({ ...row, qualities: setAtPath(row.qualities, path, value, true) }) }
    }),
})
