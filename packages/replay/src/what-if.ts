import {
  asJson,
  type BeingName,
  canonicalJson,
  type Json,
  type RoleName,
  stanceOf,
  TreeosError,
  type VerbCall,
} from '@treeos/core'
import { actingFor, contentHeard } from '@treeos/reality'
import { type RoleFlow, requireFlow } from '@treeos/roles'
import {
  type Db,
  findDecision,
  findEntry,
  findOpen,
  listOutcomes,
  readBases,
  type StoredOutcome,
  type WholeOpen,
  wholeOpen,
} from '@treeos/store'
import {
  type BeingRow,
  beingKey,
  decideCall,
  type Registry,
  type RoleRow,
  type RowSource,
  rolesNamed,
} from '@treeos/world'
import { answeredWake } from './judge-again.ts'
import { Past } from './past.ts'
import { type RecomputedMoment, recomputeMoment } from './recompute.ts'
import { ErasedError } from './reel-history.ts'

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
}

/**
 * Recomputes the moments of a being under another flow, and returns those that differ. Calls no model. It cannot know what a
 * model would decide with another prompt, so it judges each moment alone, with the past as it was. A role that only the
 * edited flow names, and that did not exist at that time, is used as it is today.
 * @throws {TreeosError} INVALID_INPUT for a malformed flow
 */
export async function whatIf(
  { db, registry }: { readonly db: Db; readonly registry: Registry },
  { being, flow, since = 1, until }: WhatIfRequest,
): Promise<Difference[]> {
  const edited = requireFlow(flow)
  const past = new Past(db)
  const differences: Difference[] = []
  const span = until === undefined ? [] : ([until - since + 1, until + 1] as const)
  for (const outcome of await listOutcomes(db, being, ...span)) {
    if (outcome.n < since || outcome.reason === 'superseded') continue
    try {
      const difference = await compareMoment({ db, registry, past }, outcome, edited)
      if (difference !== null) differences.push(difference)
    } catch (error) {
      if (!(error instanceof ErasedError)) throw error // what it read was erased: nothing can be said about it
    }
  }
  return differences
}

interface WhatIfDeps {
  readonly db: Db
  readonly registry: Registry
  readonly past: Past
}

async function compareMoment(
  deps: WhatIfDeps,
  outcome: StoredOutcome,
  flow: RoleFlow,
): Promise<Difference | null> {
  const { db, past, registry } = deps
  const [stored, bases] = await Promise.all([findOpen(db, outcome.moment), readBases(db, [outcome.moment])])
  if (stored === null) throw new Error(`moment ${outcome.moment} has no open record`)
  const open = wholeOpen(stored)
  const basis = bases.get(outcome.moment)?.heads ?? []
  const source = past.citedOrSealedBy(basis, open.openedAt, { being: outcome.being, ...open })
  const content = (await findEntry(db, open.wake.id))?.content ?? null
  const was = await recomputeMoment(registry, outcome, { open, content }, source)
  const changed = await withFlow(past, source, was.me, flow)
  const would = await recomputeMoment(registry, outcome, { open, content }, changed)
  const differs = (['stack', 'surface', 'prompt'] as const).filter(
    (part) => canonicalJson(partOf(was, part)) !== canonicalJson(partOf(would, part)),
  )
  const refused = await newRefusal(deps, outcome, open, was, would)
  if (differs.length === 0 && refused === null) return null
  const openedAt = new Date(open.openedAt).toISOString()
  return { n: outcome.n, openedAt, differs, was: wornStackOf(was), would: wornStackOf(would), refused }
}

/** One part of a moment for the comparison. For a prompt that cannot be composed here it is the missing role. */
function partOf(recomputed: RecomputedMoment, part: Difference['differs'][number]): Json {
  if (part === 'prompt') return recomputed.missing ?? recomputed.prompt
  return asJson(part === 'surface' ? (recomputed.seen.face?.surface ?? null) : recomputed.stack)
}

function wornStackOf({ seen: { result } }: RecomputedMoment): WornStack {
  const { primary, stacked, skip } = result
  return { primary, stacked, ...(skip === undefined ? {} : { skip }) }
}

/** The same world with another flow in the being's row. */
async function withFlow(past: Past, source: RowSource, me: BeingRow, flow: RoleFlow): Promise<RowSource> {
  const roles = await past.reel('registry')
  const known = new Set(rolesNamed(me).map((name) => `role:${name}`))
  const isThere = (state: Json | null) => state !== null && !(state as unknown as RoleRow).deleted
  const row = asJson({ ...me, qualities: { ...me.qualities, roleFlow: flow } })
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

/** Asks both gates about the act again, under the old and the edited flow. @returns a refusal that only the edited one has */
async function newRefusal(
  bench: WhatIfDeps,
  outcome: StoredOutcome,
  open: WholeOpen,
  was: RecomputedMoment,
  would: RecomputedMoment,
): Promise<Difference['refused']> {
  const decided = outcome.kind === 'act' ? await findDecision(bench.db, outcome.moment) : null
  if (decided?.decision.kind !== 'call') return null
  if (would.stack === null)
    return { code: 'ROLE_UNAVAILABLE', message: `the flow gives no role: ${would.seen.result.skip}` }
  const { call } = decided.decision
  const content = (await findEntry(bench.db, open.wake.id))?.content ?? null
  const now = await tryCall(bench, { call, content }, outcome, open, would)
  if (now === null) return null
  // A call that fails under both flows fails because the world changed between open and stamp.
  const then = await tryCall(bench, { call, content }, outcome, open, was)
  return then?.code === now.code && then.message === now.message ? null : now
}

async function tryCall(
  { db, registry }: WhatIfDeps,
  { call, content }: { readonly call: VerbCall; readonly content: Json },
  outcome: StoredOutcome,
  open: WholeOpen,
  { reader, me, stack, seen, role }: RecomputedMoment,
): Promise<Difference['refused']> {
  if (stack === null || seen.face === null || role === null) return null
  try {
    const wake = await answeredWake(db, {
      being: me.name,
      open,
      content: contentHeard(open, seen.face, content),
    })
    const moment = { reader, me, open, stack, surface: seen.face.surface, role, wake }
    await decideCall(call, actingFor({ db, registry }, moment))
    return null // a call that waits for its effect passed both gates
  } catch (error) {
    if (error instanceof TreeosError) return { code: error.code, message: error.message }
    throw new Error(`cannot decide the call of moment ${outcome.n} of ${stanceOf(me.name)} again`, {
      cause: error,
    })
  }
}
