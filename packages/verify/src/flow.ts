import { at, isArray, isObject, type Json } from './canonical.ts'

const ROOTS = ['verb', 'wake', 'caller', 'space', 'inHomeSpace', 'time', 'me', 'moment', 'world']
const LONG_BYTES = 256

/** Conditions of one clause nest no deeper, and are no more. */
const [DEPTH_MAX, NODES_MAX] = [32, 512]

/**
 * Whether the conditions of a clause hold in a context.
 * @returns null for malformed conditions, which never hold, not even under `not`
 */
export function holds(when: Json | undefined, context: Json): boolean | null {
  return when === undefined ? true : met(when, context, { depth: 1, count: { nodes: 0 } })
}

interface Place {
  readonly depth: number
  readonly count: { nodes: number }
}

function met(when: Json, context: Json, { depth, count }: Place): boolean | null {
  if (!isObject(when) || depth > DEPTH_MAX) return null
  const conditions = Object.entries(when)
  count.nodes += Math.max(1, conditions.length)
  if (count.nodes > NODES_MAX) return null
  const below = { depth: depth + 1, count }
  const results = conditions.map(([key, value]) => {
    if (key === 'not') return negated(met(value, context, below))
    if (key !== 'and' && key !== 'or') return isMet(key, value, context)
    const parts = isArray(value) ? value.map((part) => met(part ?? null, context, below)) : [null]
    if (parts.includes(null)) return null
    return key === 'and' ? !parts.includes(false) : parts.includes(true)
  })
  return results.includes(null) ? null : !results.includes(false)
}

const negated = (result: boolean | null): boolean | null => (result === null ? null : !result)

function isMet(path: string, condition: Json, context: Json): boolean | null {
  const keys = path.split('.')
  if (!ROOTS.includes(keys[0] as string) || keys.includes('')) return null
  const actual = comparable(at(context, ...keys))
  if (isArray(condition)) return compare('in', condition, actual)
  if (!isObject(condition)) return compare('eq', condition, actual)
  const results = Object.entries(condition).map(([operator, operand]) => compare(operator, operand, actual))
  return results.includes(null) ? null : !results.includes(false)
}

/** An object, an array and a long text are present, and equal nothing. */
const comparable = (value: Json | undefined): unknown => {
  const isOpaque =
    typeof value === 'string'
      ? Buffer.byteLength(value) > LONG_BYTES
      : typeof value === 'object' && value !== null
  return isOpaque ? Symbol('opaque') : value
}

const isScalar = (value: unknown): boolean =>
  value === null || ['boolean', 'string', 'number'].includes(typeof value)

function compare(operator: string, operand: Json, actual: unknown): boolean | null {
  if (operator === 'eq' || operator === 'ne')
    return isScalar(operand) ? (actual === operand) === (operator === 'eq') : null
  if (operator === 'in' || operator === 'notIn')
    return isArray(operand) && operand.every(isScalar)
      ? operand.includes(actual as Json) === (operator === 'in')
      : null
  if (operator === 'present')
    return typeof operand === 'boolean' ? (actual !== undefined && actual !== null) === operand : null
  if (!['gt', 'gte', 'lt', 'lte'].includes(operator) || typeof operand !== 'number') return null
  if (typeof actual !== 'number') return false
  if (operator.endsWith('e') && actual === operand) return true
  return operator.startsWith('gt') ? actual > operand : actual < operand
}

/** The roles that a flow gives in a context, each with the index of its clause; `default` and `asked` are not clauses. */
export type ByClause = readonly { readonly role: string; readonly clause: number | 'default' | 'asked' }[]

/**
 * Evaluates a program: the first plain clause that holds gives the primary role, every stacked one that holds adds its role.
 * @param program `{flow, defaultRole, roles}` as it is stored
 * @param asked the role that the sender asked for: the flow or the default names it, and the being can wear it
 * @returns no role where the moment has no stack
 */
export function rolesFor(
  program: Json,
  { context, cognition, asked }: { context: Json; cognition: string; asked: string | null },
): ByClause {
  const isWearable = (role: string) => {
    const needs = at(program, 'roles', role)
    const required = at(needs, 'requiredCognition') ?? null
    return needs !== undefined && (required === null || required === cognition)
  }
  const flow = at(program, 'flow')
  const clauses = (isArray(flow) ? flow : []).map((clause) => clauseOf(clause, context))
  const held = clauses.flatMap((clause, index) =>
    clause?.holds === true && isWearable(clause.role) ? [{ ...clause, clause: index }] : [],
  )
  const [byDefault = null] = [at(program, 'defaultRole')]
  const first = asked !== null ? { role: asked, clause: 'asked' as const } : held.find(({ stack }) => !stack)
  const primary = first ?? { role: String(byDefault ?? ''), clause: 'default' as const }
  const isNamed = asked === byDefault || clauses.some((clause) => clause?.role === asked)
  const isThere =
    asked !== null ? isNamed && isWearable(asked) : at(program, 'roles', primary.role) !== undefined
  if (!isThere) return []
  const stacked = held.filter(
    ({ stack, role }, i) => stack && held.findIndex((one) => one.stack && one.role === role) === i,
  )
  return [primary, ...stacked].map(({ role, clause }) => ({ role, clause }))
}

const ROLE_NAME = /^[a-z][a-z0-9-]{0,63}(:[a-z][a-z0-9-]{0,63})?$/

/** A clause, and whether it holds. @returns null for one that is malformed: it never holds, and names no role */
function clauseOf(clause: Json, context: Json) {
  if (!isObject(clause) || !Object.keys(clause).every((key) => ['when', 'role', 'stack'].includes(key)))
    return null
  const { role, stack = false } = clause
  const isHeld = holds(at(clause, 'when'), context)
  if (typeof role !== 'string' || !ROLE_NAME.test(role) || typeof stack !== 'boolean' || isHeld === null)
    return null
  return { role, stack, holds: isHeld }
}
