import { at, isArray, isObject, type Json } from './canonical.ts'

const ROOTS = ['verb', 'caller', 'space', 'inHomeSpace', 'time', 'me', 'world']
const LONG_BYTES = 256

/**
 * Whether the conditions of a clause hold in a context.
 * @returns null for malformed conditions, which never hold, not even under `not`
 */
export function holds(when: Json | undefined, context: Json): boolean | null {
  if (when === undefined) return true
  if (!isObject(when)) return null
  const results = Object.entries(when).map(([key, value]) => {
    if (key === 'not') return negated(holds(value, context))
    if (key !== 'and' && key !== 'or') return isMet(key, value, context)
    const parts = isArray(value) ? value.map((part) => holds(part ?? null, context)) : [null]
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
 * @param asked the role that the sender asked for
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
  const met = (isArray(flow) ? flow : []).flatMap((clause, index) => {
    const role = at(clause, 'role')
    const isKnown = Object.keys(isObject(clause) ? clause : {}).every((key) =>
      ['when', 'role', 'stack'].includes(key),
    )
    if (
      typeof role !== 'string' ||
      !isKnown ||
      !isWearable(role) ||
      holds(at(clause, 'when'), context) !== true
    )
      return []
    return [{ role, clause: index, stack: at(clause, 'stack') === true }]
  })
  const plain = met.find(({ stack }) => !stack)
  const first = asked === null ? plain : { role: asked, clause: 'asked' as const }
  const primary = first ?? { role: String(at(program, 'defaultRole') ?? ''), clause: 'default' as const }
  const stacked = met.filter(
    ({ stack, role }, i) => stack && met.findIndex((one) => one.stack && one.role === role) === i,
  )
  return [primary, ...stacked].map(({ role, clause }) => ({ role, clause }))
}
