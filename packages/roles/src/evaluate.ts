import type { Cognition, Json, JsonObject, RoleName } from '@treeos/core'
import type { CompiledClause, CompiledFlow } from './compile.ts'
import type { OpenContext } from './context.ts'

/** The only thing an evaluation needs to know of a role. A whole role spec will do. */
export interface RoleNeeds {
  readonly requiredCognition?: Cognition | null | undefined
  /** what opens a moment of it; anything when left out */
  readonly triggerOn?: readonly string[] | undefined
}
/** Every registered role by name; of an object only own properties count. */
export type RoleTable = ReadonlyMap<RoleName, RoleNeeds> | Readonly<Record<RoleName, RoleNeeds>>

export interface FlowInput {
  /** the whole context, or its slice by the flow's paths: the answer is the same */
  readonly context: OpenContext | JsonObject
  /** the being's effective cognition: `human` while it is inhabited */
  readonly cognition: Cognition
  readonly roles: RoleTable
  readonly defaultRole?: RoleName | null | undefined
  /** the role that the wake's sender asked for on purpose */
  readonly asked?: RoleName | null | undefined
}

/**
 * Why a moment is skipped and seals nothing.
 * - `role-unresolved`: no clause survived and there is no default role
 * - `role-unavailable`: the default or asked role is not registered, or the asked one needs another cognition
 * - `role-not-named`: the sender asked for a role that neither the flow nor the default names
 * - `not-triggered`: the primary role is not opened by what woke the being
 */
export type SkipReason = 'role-unresolved' | 'role-unavailable' | 'role-not-named' | 'not-triggered'

/** Without `skip` there is a primary. With `role-unavailable` it still says which role is missing. */
export type FlowResult =
  | { readonly primary: RoleName; readonly stacked: readonly RoleName[]; readonly skip?: undefined }
  | { readonly primary: RoleName | null; readonly stacked: readonly RoleName[]; readonly skip: SkipReason }

/**
 * How a clause fared. `shadowed`: plain, but the primary was settled before it. `repeated`: its role is stacked
 * already. `skipped`: its role is not registered or needs another cognition. For none of the three is the `when` tested.
 */
export type ClauseResult =
  | 'primary'
  | 'stacked'
  | 'shadowed'
  | 'repeated'
  | 'skipped'
  | 'no-match'
  | 'malformed'

/**
 * Evaluates a roleFlow against one open context, in one walk. Same inputs, same answer, on every replay; never
 * throws.
 * @returns the first surviving plain clause as primary (else the default role, which is not filtered by cognition),
 *   then every surviving stacked role once, in clause order; `asked` takes the place of the plain clauses
 */
export function evaluateFlow(flow: CompiledFlow, input: FlowInput): FlowResult {
  return walkFlow(flow, input)
}

/** The walk that evaluate and explain share. @param visit hears every clause's result, in order */
export function walkFlow(
  flow: CompiledFlow,
  input: FlowInput,
  visit?: (clause: CompiledClause, result: ClauseResult) => void,
): FlowResult {
  const stacked = new Set<RoleName>()
  const asked = input.asked ?? null
  let primary: RoleName | null = asked
  for (const clause of flow.clauses) {
    const result = judge(clause, input, primary !== null, stacked)
    if (result === 'primary') primary = clause.role
    else if (result === 'stacked') stacked.add(clause.role!)
    visit?.(clause, result)
  }
  if (asked !== null) return settleAsked(flow, input, asked, [...stacked])
  return settle(primary ?? input.defaultRole ?? null, input.roles, [...stacked])
}

function judge(
  clause: CompiledClause,
  { roles, cognition, context }: FlowInput,
  isSettled: boolean,
  stacked: ReadonlySet<RoleName>,
): ClauseResult {
  if (clause.fault !== null || clause.role === null) return 'malformed'
  if (whyUnavailable(clause.role, roles, cognition) !== null) return 'skipped'
  if (clause.stack && stacked.has(clause.role)) return 'repeated'
  if (!clause.stack && isSettled) return 'shadowed'
  if (!clause.matches(context as Json)) return 'no-match'
  return clause.stack ? 'stacked' : 'primary'
}

function settle(primary: RoleName | null, roles: RoleTable, stacked: readonly RoleName[]): FlowResult {
  if (primary === null) return { primary, stacked, skip: 'role-unresolved' }
  if (needsOf(primary, roles) === undefined) return { primary, stacked, skip: 'role-unavailable' }
  return { primary, stacked }
}

function settleAsked(
  flow: CompiledFlow,
  { roles, cognition, defaultRole }: FlowInput,
  asked: RoleName,
  stacked: readonly RoleName[],
): FlowResult {
  if (asked !== defaultRole && !flow.roleNames.has(asked)) {
    return { primary: null, stacked, skip: 'role-not-named' }
  }
  // An explicit ask fails loudly, even for the default role, which the flow's own choice would not filter.
  if (whyUnavailable(asked, roles, cognition) !== null) {
    return { primary: asked, stacked, skip: 'role-unavailable' }
  }
  return { primary: asked, stacked }
}

/** @returns null when a being of this cognition may wear the role */
export function whyUnavailable(role: RoleName, roles: RoleTable, cognition: Cognition): string | null {
  const needs = needsOf(role, roles)
  if (needs === undefined) return `role ${role} is not registered`
  const required = needs.requiredCognition ?? null
  if (required === null || required === cognition) return null
  return `role ${role} needs cognition ${required}, the being's is ${cognition}`
}

export function needsOf(role: RoleName, roles: RoleTable): RoleNeeds | undefined {
  // Not instanceof: a map may come from outside the workflow sandbox, where Map is another class.
  if (typeof roles.get === 'function') return (roles as ReadonlyMap<RoleName, RoleNeeds>).get(role)
  if (!Object.hasOwn(roles, role)) return undefined
  return (roles as Readonly<Record<RoleName, RoleNeeds>>)[role] ?? {}
}
