import {
  asJson,
  type Digest,
  type FactDraft,
  isJsonObject,
  type Json,
  type SpacePath,
  stanceOf,
  type VerbCall,
} from '@treeos/core'
import type { RoleFlow, RoleSpec } from '@treeos/roles'
import {
  type Db,
  digestOf,
  findEntry,
  findOpen,
  readBases,
  type StoredOutcome,
  type WholeOpen,
  wholeOpen,
} from '@treeos/store'
import {
  type BeingRow,
  beingKey,
  type Registry,
  type RoleRow,
  type Row,
  type RowSource,
  rolesNamed,
  type SpaceRow,
  setAtPath,
  spaceKey,
  WorldReader,
} from '@treeos/world'
import { concludePast, type PastConclusion, wornIn } from './conclude-past.ts'
import { ErasedError } from './loaded-reel.ts'
import { PastStates } from './past-states.ts'
import { openedWith, type RecomputedMoment, recomputeMoment } from './recompute.ts'

export { PastStates, type RecomputedMoment }

/** Whether what a moment read was erased, so that nothing can be said about it. */
export const isErased = (error: unknown): boolean => error instanceof ErasedError

/** What a moment is lived again over. Nothing of it writes. */
export interface SupposedDeps {
  readonly db: Db
  readonly registry: Registry
  readonly past: PastStates
}

/**
 * A recorded moment with the world as it saw it. What it did not read is read as it was when the moment
 * opened.
 */
export interface PastScene {
  readonly outcome: StoredOutcome
  readonly open: WholeOpen
  /** of the wake */
  readonly content: Json
  readonly source: RowSource
  readonly was: RecomputedMoment
}

/** @throws {ErasedError} when what it read was erased */
export async function readScene(
  { db, registry, past }: SupposedDeps,
  outcome: StoredOutcome,
): Promise<PastScene> {
  const [stored, bases] = await Promise.all([findOpen(db, outcome.moment), readBases(db, [outcome.moment])])
  if (stored === null) throw new Error(`moment ${outcome.moment} has no open record`)
  const open = wholeOpen(stored)
  const basis = bases.get(outcome.moment)?.heads ?? []
  const source = past.citedOrSealedBy(basis, open.openedAt, { being: outcome.being, ...open })
  const content = (await findEntry(db, open.wake.id))?.content ?? null
  const was = await recomputeMoment(registry, outcome, { open, content }, source)
  return { outcome, open, content, source, was }
}

/** What is supposed to have been otherwise when a moment opened. */
export interface Supposition {
  /** instead of the flow of the being */
  readonly flow?: RoleFlow | undefined
  /** each instead of the role of its name, or beside those that there were */
  readonly roles?: readonly RoleSpec[] | undefined
  /** its flow reads nothing of its place, which who supposes may not see */
  readonly isPlaceHidden?: boolean
}

/**
 * A moment lived again up to its prompt, with something otherwise. A role that only the new flow names is
 * used as it is today.
 */
export async function liveSupposed(
  { registry, past }: Pick<SupposedDeps, 'registry' | 'past'>,
  { outcome, open, content, source, was }: PastScene,
  { flow, roles = [], isPlaceHidden = false }: Supposition,
): Promise<RecomputedMoment> {
  const flowed = flow === undefined ? source : await withFlow(past, source, was.me, flow)
  return recomputeMoment(
    registry,
    outcome,
    { open, content, isPlaceHidden },
    withRoles(flowed, roles, was.me),
  )
}

/**
 * The same world with another flow in the being's row. It counts as set by the being, so that nobody learns
 * by it of a place that the being may not see.
 */
async function withFlow(
  past: PastStates,
  source: RowSource,
  me: BeingRow,
  flow: RoleFlow,
): Promise<RowSource> {
  const roles = await past.reel('registry')
  const known = new Set(rolesNamed(me).map((name) => `role:${name}`))
  const isThere = (state: Json | null) => state !== null && !(state as unknown as RoleRow).deleted
  const row = asJson({ ...me, flowBy: me.name, qualities: { ...me.qualities, roleFlow: flow } })
  return {
    ...source,
    rows: async (keys) =>
      (await source.rows(keys)).map((found) => {
        if (found.key === beingKey(me.name)) return { ...found, state: row }
        if (!found.key.startsWith('role:') || known.has(found.key) || isThere(found.state)) return found
        return { ...found, state: asJson(roles.rowAt(found.key, roles.length)) }
      }),
  }
}

/**
 * The same world with other roles. Code of extensions stays theirs: a role with a function as its prompt
 * keeps that.
 */
function withRoles(source: RowSource, roles: readonly RoleSpec[], { name: author }: BeingRow): RowSource {
  if (roles.length === 0) return source
  const specs = new Map<Digest, Json>(roles.map((spec) => [digestOf(asJson(spec)), asJson(spec)]))
  const rows = new Map<string, Json>(
    roles.map((spec) => {
      const { name, requiredCognition = null, triggerOn } = spec
      const row: RoleRow = {
        ...{ name, digest: digestOf(asJson(spec)), origin: 'live', author, requiredCognition },
        ...(triggerOn === undefined ? {} : { triggerOn }),
        ...{ deleted: false, at: 0 },
      }
      return [`role:${name}`, asJson(row)]
    }),
  )
  return {
    ...source,
    blob: async (digest) => specs.get(digest) ?? source.blob(digest),
    rows: async (keys) =>
      (await source.rows(keys)).map((found) => {
        const state = rows.get(found.key)
        return state === undefined ? found : { ...found, state }
      }),
  }
}

/** Another rule of a space, and what such rules would have counted so far. */
export interface SupposedRule {
  readonly space: SpacePath
  /** in the qualities of the space */
  readonly path: readonly string[]
  /** merged with what is there */
  readonly value: Json
  /** rows of tallies, by their keys */
  readonly counted: ReadonlyMap<string, Row>
}

/** A moment as it was, whose calls are decided under another rule. */
export const ruledOtherwise = (
  { source, was }: PastScene,
  { space, path, value, counted }: SupposedRule,
): RecomputedMoment => ({
  ...was,
  reader: new WorldReader({
    ...source,
    rows: async (keys) =>
      (await source.rows(keys)).map((found) => {
        if (found.key.startsWith('tally:')) return { ...found, state: asJson(counted.get(found.key) ?? null) }
        if (found.key !== spaceKey(space) || !isJsonObject(found.state)) return found
        const row = found.state as unknown as SpaceRow
        return { ...found, state: asJson({ ...row, qualities: setAtPath(row.qualities, path, value, true) }) }
      }),
  }),
})

/** What both gates say of a call, in the world of its moment. */
export interface SupposedVerdict {
  readonly verdict: 'allowed' | 'asks' | 'refused'
  /** of a refusal */
  readonly code?: string
  readonly message?: string
  /** a thread was read, as it is now: no reel holds what it was then */
  readonly isOfThread?: true
}

/**
 * Asks both gates about a call in a moment that was lived again.
 * @param onFacts gets the facts that the call would have written. For a call that waits for an effect, these
 *   are only the counts before the effect
 * @returns null when the moment wears no role
 */
export async function judgeSupposed(
  deps: Pick<SupposedDeps, 'db' | 'registry'>,
  scene: PastScene,
  moment: RecomputedMoment,
  call: VerbCall,
  onFacts: (facts: readonly FactDraft[]) => void = () => undefined,
): Promise<SupposedVerdict | null> {
  const { open: recorded, content, outcome } = scene
  const worn = wornIn(moment)
  if (worn === null) return null
  const past = { being: moment.me.name, open: openedWith(recorded, moment.seen), content, call }
  const { reader, seen } = moment
  let judged: PastConclusion
  try {
    judged = await concludePast(deps, past, { worn, seen }, { reader, asksDryRun: false })
  } catch (error) {
    if (isErased(error)) throw error
    const whose = `moment ${outcome.n} of ${stanceOf(moment.me.name)}`
    throw new Error(`cannot decide a call of ${whose}`, { cause: error })
  }
  const { conclusion, isOfThread } = judged
  const also = isOfThread ? { isOfThread: true as const } : {}
  if (conclusion === null || conclusion.kind === 'effect-pending') {
    onFacts(conclusion?.holds ?? [])
    return { verdict: 'allowed', ...also }
  }
  if (conclusion.kind === 'waiting') return { verdict: 'asks', ...also }
  const { refusal, kind, reason, detail } = conclusion
  if (refusal !== undefined)
    return { verdict: 'refused', code: refusal.code, message: refusal.message, ...also }
  if (kind === 'failure') return { verdict: 'refused', code: reason ?? '', message: detail ?? '', ...also }
  onFacts(conclusion.facts)
  return { verdict: 'allowed', ...also }
}
