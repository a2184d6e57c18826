import {
  asJson,
  type BeingRow,
  type Json,
  type JsonObject,
  TreeosError,
  unknownBeing,
  type WorldReader,
} from '@treeos/sdk'
import { buildGenesisPrompt, type Genesis } from './genesis.ts'
import { type ChildState, requireMove } from './lifecycle.ts'
import type { RoleConfig, Tool } from './roles.ts'

/**
 * What a child is, in its quality `lineage`. Its parent and the tools here write it; its ceiling and model do
 * not rest on it.
 */
export interface Profile {
  readonly role: string
  readonly state: ChildState
  readonly asleep: boolean
  readonly heartbeatSeconds: number
  readonly genesis: Genesis
  /** what it was woken for last */
  readonly task?: { readonly from: string; readonly content: Json }
  /** what its last tool gave */
  readonly last?: JsonObject
  /** a role that it asked its parent for */
  readonly wants?: string
}

/** The profile of a being; null when it is not a child of this extension. */
export function profileOf({ qualities }: Pick<BeingRow, 'qualities'>): Profile | null {
  const kept = qualities.lineage as Partial<Profile> | null | undefined
  return typeof kept === 'object' &&
    kept !== null &&
    typeof kept.role === 'string' &&
    typeof kept.genesis === 'object'
    ? (kept as Profile)
    : null
}

/** Roles that a parent defined, in its quality `lineage.roles`. `set-being` may have put anything there. */
export function rolesDefinedBy({ qualities }: Pick<BeingRow, 'qualities'>): Readonly<Record<string, Json>> {
  const { roles } = (qualities.lineage ?? {}) as { roles?: unknown }
  return typeof roles === 'object' && roles !== null ? (roles as Record<string, Json>) : {}
}

/** The genesis prompt of a being: a child's own, or what `lineage.prompt` says of any other. */
export function promptOf({ qualities }: Pick<BeingRow, 'qualities'>): string {
  const profile = profileOf({ qualities })
  if (profile !== null) return buildGenesisPrompt(profile.genesis)
  const { prompt } = (qualities.lineage ?? {}) as { prompt?: unknown }
  return typeof prompt === 'string' ? prompt : ''
}

/** The children of a parent that it spawned, those that were ended too. */
export async function spawnedBy(
  world: WorldReader,
  parent: BeingRow,
): Promise<(BeingRow & { profile: Profile })[]> {
  const names = await world.children(parent.name)
  await world.prefetch(names.map((name) => `being:${name}`))
  const rows = await Promise.all(names.map((name) => world.being(name)))
  return rows.flatMap((row) => {
    const profile = row === null ? null : profileOf(row)
    return row === null || profile === null ? [] : [{ ...row, profile }]
  })
}

/**
 * The states of children now. Only its tools and its parent write its state, so of a child that lived without either, as by an answer or a
 * heartbeat, the quality still says `starting`: it is healthy nevertheless.
 */
export async function statesOf(
  world: WorldReader,
  children: readonly (Pick<BeingRow, 'name'> & { readonly profile: Profile })[],
): Promise<ChildState[]> {
  const starting = children.filter(({ profile }) => profile.state === 'starting').map(({ name }) => name)
  const wore = starting.length === 0 ? {} : await world.wore(starting)
  return children.map(({ name, profile: { state } }) =>
    state === 'starting' && Object.hasOwn(wore, name) ? 'healthy' : state,
  )
}

/** The role of a child that is stopped or failed: it holds nothing, and no wake opens a moment in it. */
export const STOPPED = 'lineage:stopped'

/** Whether a child may live moments. Its flow says so, which decides them; its state only tells of it. */
export const isLiving = ({ ended, qualities: { roleFlow } }: BeingRow): boolean =>
  ended === undefined &&
  !(Array.isArray(roleFlow) && roleFlow.length === 1 && roleOf(roleFlow[0]) === STOPPED)

const roleOf = (clause: unknown): unknown => (clause as { role?: unknown } | null)?.role

/** @throws {TreeosError} BEING_NOT_FOUND, BEING_ENDED, FORBIDDEN for a being that the actor did not spawn */
export async function requireOwnChild(
  world: WorldReader,
  actor: BeingRow,
  stance: string,
): Promise<BeingRow & { profile: Profile }> {
  const name = stance.replace(/^@/, '')
  const row = await world.being(name)
  if (row === null) throw unknownBeing(name)
  const profile = profileOf(row)
  if (row.parent !== actor.name || profile === null)
    throw new TreeosError(
      'FORBIDDEN',
      `@${name} was not spawned by @${actor.name}: only its parent does that`,
    )
  if (row.ended !== undefined) throw new TreeosError('BEING_ENDED', `@${name} was ended: it lives no more`)
  return { ...row, profile }
}

const reelOf = (name: string) => `being:${name}`

/** A fact that sets one part of a child's profile. */
export const setProfilePart = (name: string, key: string | null, value: Json) => ({
  reel: reelOf(name),
  kind: 'quality:set',
  payload: { path: key === null ? ['lineage'] : ['lineage', key], value, merge: false },
})

/**
 * Facts of one step of a child's life.
 * @throws {TreeosError} RESOURCE_CONFLICT for a step that there is not
 */
export function moved(name: string, from: ChildState, to: ChildState, reason: string) {
  requireMove(name, from, to)
  return [recordOf(name, 'lineage:moved', { from, to, reason }), setProfilePart(name, 'state', to)]
}

export const recordOf = (name: string, kind: `lineage:${string}`, payload: JsonObject) => ({
  reel: reelOf(name),
  kind,
  payload,
})

export const operationOf = (tool: Tool): string => `lineage:${tool.replaceAll('_', '-')}`

/**
 * What a child may reach for at most. Null for a child without restrictions: then the ceilings of its makers
 * bound it.
 */
export const ceilingOf = ({ allowedTools }: Pick<RoleConfig, 'allowedTools'>): JsonObject | null =>
  allowedTools === undefined
    ? null
    : { canSee: ['~'], canDo: allowedTools.map(operationOf), canSummon: [{ pattern: '*' }], canBe: [] }

export const everySecondsOf = (baseSeconds: number, { heartbeatMultiplier }: RoleConfig): number =>
  Math.max(1, Math.round(baseSeconds * heartbeatMultiplier))

/**
 * Arguments that give a child its model and the limit of its answers. A role without a model has its
 * parent's.
 */
export function modelArgs(parent: BeingRow, { inferenceModel, maxTokensPerTurn }: RoleConfig): JsonObject {
  const { connection, model } = (parent.qualities.llm ?? {}) as { connection?: string; model?: string }
  const inherited = {
    ...(connection === undefined ? {} : { connection }),
    ...(model === undefined ? {} : { model }),
  }
  return asJson({
    ...(inferenceModel === '' ? inherited : { model: inferenceModel }),
    maxTokens: maxTokensPerTurn,
  }) as JsonObject
}

export const shownRole = (
  name: string,
  { description, allowedTools, autoSleep }: RoleConfig,
): Genesis['role'] => ({
  name,
  description,
  ...(allowedTools === undefined ? {} : { allowedTools }),
  autoSleep,
})
