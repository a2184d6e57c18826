import {
  COGNITIONS,
  type Cognition,
  isJsonObject,
  type Json,
  type JsonObject,
  quote,
  type RoleName,
  TreeosError,
} from '@treeos/core'
import { compileFlow } from '../evaluate/compile.ts'
import { composeRoles, type WornRole } from '../evaluate/compose.ts'
import { evaluateFlow, type RoleNeeds } from '../evaluate/evaluate.ts'
import { show } from '../parse/fault.ts'
import { parseRole } from '../parse/parse-role.ts'

/**
 * One line of `treeos flow eval`, evaluated as a moment would: a malformed clause never matches.
 * @param input `{id, flow, defaultRole?, roles: {NAME: {requiredCognition?}}, cognition, context}`; any other
 *   field is ignored
 * @returns `{id, primary, stacked}`
 * @throws {TreeosError} INVALID_INPUT naming the field of the line that is missing or wrong
 */
export function evalLine(input: unknown): JsonObject {
  const line = requireLine(input)
  const { flow, context, cognition, defaultRole = null } = line
  if (!Array.isArray(flow)) throw wrongField('flow', flow, 'an array of clauses')
  if (!isJsonObject(context)) throw wrongField('context', context, 'an object')
  if (!isCognition(cognition)) throw wrongField('cognition', cognition, `one of ${COGNITIONS.join(', ')}`)
  if (defaultRole !== null && typeof defaultRole !== 'string') {
    throw wrongField('defaultRole', defaultRole, 'a role name or null')
  }
  const roles = requireRoleTable(line.roles)
  const { primary, stacked } = evaluateFlow(compileFlow(flow), { context, cognition, roles, defaultRole })
  return { id: line.id!, primary, stacked }
}

/**
 * One line of `treeos role compose`.
 * @param input `{id, roles: [ROLE…]}`, the first being the primary; prompts are strings, other fields are
 *   ignored
 * @returns `{id, canSee, canDo, canSummon, canBe, prompt}`
 * @throws {TreeosError} INVALID_INPUT or PAYLOAD_TOO_LARGE naming the role by its index and the field
 */
export function composeLine(input: unknown): JsonObject {
  const line = requireLine(input)
  if (!Array.isArray(line.roles) || line.roles.length === 0) {
    throw wrongField('roles', line.roles, 'an array of at least one role')
  }
  const { canSee, canDo, canSummon, canBe, prompt } = composeRoles(line.roles.map(requireWornRole))
  return { id: line.id!, canSee, canDo, canSummon, canBe, prompt }
}

function requireLine(input: unknown): JsonObject {
  if (!isJsonObject(input)) throw new TreeosError('INVALID_INPUT', `a line is an object, not ${show(input)}`)
  if (!Object.hasOwn(input, 'id')) throw wrongField('id', undefined, 'any value, given back with the answer')
  return input
}

function requireRoleTable(roles: Json | undefined): ReadonlyMap<RoleName, RoleNeeds> {
  if (!isJsonObject(roles)) throw wrongField('roles', roles, 'an object of roles by name')
  const table = new Map<RoleName, RoleNeeds>()
  for (const [name, role] of Object.entries(roles)) {
    if (!isJsonObject(role)) throw wrongField(`roles.${name}`, role, 'an object {requiredCognition?}')
    const requiredCognition = role.requiredCognition ?? null
    if (requiredCognition !== null && !isCognition(requiredCognition)) {
      throw wrongField(
        `roles.${name}.requiredCognition`,
        requiredCognition,
        `one of ${COGNITIONS.join(', ')}`,
      )
    }
    table.set(name, { requiredCognition })
  }
  return table
}

function requireWornRole(role: Json, index: number): WornRole {
  try {
    const spec = parseRole(role)
    const { prompt } = spec
    if (typeof prompt === 'string') return { spec, prompt }
    throw wrongField('prompt', prompt, 'text: a function cannot be rendered here')
  } catch (error) {
    if (!(error instanceof TreeosError)) throw error
    throw new TreeosError(error.code, `roles[${index}]: ${error.message}`, error.detail)
  }
}

function isCognition(value: unknown): value is Cognition {
  return (COGNITIONS as readonly unknown[]).includes(value)
}

function wrongField(field: string, value: unknown, right: string): TreeosError {
  const is = value === undefined ? 'is missing; it is' : `is ${quote(value)}, but should be`
  return new TreeosError('INVALID_INPUT', `field ${field} ${is} ${right}`, { field })
}
