import type { Cognition, Json, JsonObject, PinnedRole, PinnedStack, RoleName, Stack } from '@treeos/core'
import { isMet } from '../parse/condition.ts'
import type { Program } from '../shape/program.ts'
import type { CompiledFlow, Match, Next } from './compile.ts'
import type { OpenContext } from './context.ts'
import { ContextReader } from './context-values.ts'

/** What an evaluation needs to know of a role. A role spec fits too. */
export interface RoleNeeds {
  readonly requiredCognition?: Cognition | null | undefined
  /** triggers that open a moment with this primary role; left out: all */
  readonly triggerOn?: readonly string[] | undefined
}
/** Every registered role by name. Only own properties of an object count. */
export type RoleTable = ReadonlyMap<RoleName, RoleNeeds> | Readonly<Record<RoleName, RoleNeeds>>

export interface FlowInput {
  /** the whole context, or its slice by the flow's paths: the answer is the same */
  readonly context: OpenContext | JsonObject
  /** the being's effective cognition: `human` while it is inhabited */
  readonly cognition: Cognition
  readonly roles: RoleTable
  readonly defaultRole?: RoleName | null | undefined
  /** the role that the wake's sender asked for */
  readonly asked?: RoleName | null | undefined
}

/**
 * Why a moment is skipped and seals nothing.
 * - `role-unresolved`: no clause survived and there is no default role
 * - `role-unavailable`: the default or asked role is not registered, or the asked one needs another cognition
 * - `role-not-named`: the sender asked for a role that neither the flow nor the default names
 * - `not-triggered`: `triggerOn` of the primary role does not hold the wake's trigger
 * - `thread-cut`: the thread of the wake was cut
 * - `being-ended`: the being was ended before the moment opened
 */
export type SkipReason =
  | 'role-unresolved'
  | 'role-unavailable'
  | 'role-not-named'
  | 'not-triggered'
  | 'thread-cut'
  | 'being-ended'

/** Without `skip` there is a primary. With `role-unavailable` the primary is the missing role. */
export type FlowResult =
  | { readonly primary: RoleName; readonly stacked: readonly RoleName[]; readonly skip?: undefined }
  | { readonly primary: RoleName | null; readonly stacked: readonly RoleName[]; readonly skip: SkipReason }

/**
 * Evaluates a roleFlow against one open context. It never throws, and gives the same result for the same
 * inputs on every replay.
 * @returns the first surviving plain clause as primary (else the default role, which is not filtered by
 *   cognition), then every surviving stacked role once, in clause order; `asked` takes the place of the plain
 *   clauses
 */
export function evaluateFlow(flow: CompiledFlow, input: FlowInput): FlowResult {
  const reading = new ContextReader(input.context as Json, flow.unread)
  const stacked = stackOf(flow, reading, input)
  const asked = input.asked ?? null
  if (asked !== null) return settleAsked(flow, input, asked, stacked)
  const match = findMatch(flow.plain, reading, input)
  if (match !== null) return { primary: match.role, stacked }
  return settleDefault(input, stacked)
}

const NONE: readonly RoleName[] = Object.freeze([])

function stackOf(flow: CompiledFlow, reading: ContextReader, input: FlowInput): readonly RoleName[] {
  let match = findMatch(flow.stacked, reading, input)
  if (match === null) return NONE
  const roles = [match.role]
  for (;;) {
    match = findMatch(match.rest, reading, input)
    if (match === null) return roles.length > 1 ? [...new Set(roles)] : roles
    roles.push(match.role)
  }
}

/** The first clause whose conditions hold and whose role can be worn. */
function findMatch(start: Next, reading: ContextReader, input: FlowInput): Match | null {
  let next = start
  while (next !== null) {
    if (next.kind === 'step') {
      next = isMet(next.operator, reading.at(next.path), next.expected) ? next.met : next.unmet
    } else if (next.kind === 'fork') {
      next = next.cases.get(reading.at(next.path)) ?? next.otherwise
    } else {
      if (isWearable(next.role, input)) return next
      next = next.rest
    }
  }
  return null
}

function settleDefault({ defaultRole, roles }: FlowInput, stacked: readonly RoleName[]): FlowResult {
  const primary = defaultRole ?? null
  if (primary === null) return { primary, stacked, skip: 'role-unresolved' }
  if (needsOf(primary, roles) === undefined) return { primary, stacked, skip: 'role-unavailable' }
  return { primary, stacked }
}

function settleAsked(
  flow: CompiledFlow,
  input: FlowInput,
  asked: RoleName,
  stacked: readonly RoleName[],
): FlowResult {
  if (asked !== input.defaultRole && !flow.roleNames.has(asked)) {
    return { primary: null, stacked, skip: 'role-not-named' }
  }
  // A role that was asked for must fit the cognition, even the default role, which is not filtered otherwise.
  if (!isWearable(asked, input)) return { primary: asked, stacked, skip: 'role-unavailable' }
  return { primary: asked, stacked }
}

/** Whether the role is registered, and for a being of this cognition. */
export function isWearable(
  role: RoleName,
  { roles, cognition }: Pick<FlowInput, 'roles' | 'cognition'>,
): boolean {
  const needs = needsOf(role, roles)
  if (needs === undefined) return false
  const required = needs.requiredCognition ?? null
  return required === null || required === cognition
}

export function needsOf(role: RoleName, roles: RoleTable): RoleNeeds | undefined {
  if (Object.hasOwn(roles, role)) return (roles as Readonly<Record<RoleName, RoleNeeds>>)[role] ?? {}
  // a record: inherited properties do not count
  if (Object.getPrototypeOf(roles) === Object.prototype) return undefined
  // Not instanceof: a map may come from outside the workflow sandbox, where Map is another class.
  if (typeof roles.get === 'function') return (roles as ReadonlyMap<RoleName, RoleNeeds>).get(role)
  return undefined
}

/** The parts of a wake that can make its moment skip. */
export interface OpeningWake {
  /** trigger of the wake; null or left out for a wake that no role may refuse */
  readonly trigger?: string | null | undefined
  /** the thread of the wake was cut */
  readonly cut?: boolean | undefined
  /** the being was ended */
  readonly ended?: boolean | undefined
}

/**
 * Skips a moment of a being that was ended, one whose thread was cut, or one whose trigger is not in
 * `triggerOn` of its primary role. A role without `triggerOn` takes every trigger, `[]` takes none.
 */
export function checkWake(
  result: FlowResult,
  { trigger, cut, ended }: OpeningWake,
  roles: RoleTable,
): FlowResult {
  if (ended === true) return { ...result, skip: 'being-ended' }
  if (cut === true) return { ...result, skip: 'thread-cut' }
  if (trigger == null || result.skip !== undefined) return result
  const triggers = needsOf(result.primary, roles)?.triggerOn
  return triggers === undefined || triggers.includes(trigger) ? result : { ...result, skip: 'not-triggered' }
}

/** Pins the roles of a stack by the digests that they have in the program. */
export function pinStack(program: Pick<Program, 'roles'>, { primary, stacked }: Stack): PinnedStack {
  const pinned = (name: string): PinnedRole => ({ name, digest: program.roles[name]?.digest ?? '' })
  return { primary: pinned(primary), stacked: stacked.map(pinned) }
}
