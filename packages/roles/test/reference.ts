/**
 * The rules of a roleFlow written a second time, as plainly as they can be read, to hold the evaluator
 * against. Shares no code with it: no parsing, no closures, no early exit.
 */
type Thing = Record<string, unknown>

const ROOTS = ['verb', 'wake', 'caller', 'space', 'inHomeSpace', 'time', 'me', 'moment', 'world']
const ROLE_NAME = /^(?!(constructor|prototype)$)[a-z][a-z0-9-]{0,63}(:[a-z][a-z0-9-]{0,63})?$/
const MISSING = Symbol('missing')
const OPAQUE = Symbol('opaque')

interface ReferenceInput {
  readonly context: unknown
  readonly cognition: string
  readonly roles: Record<string, { requiredCognition?: string | null }>
  readonly defaultRole?: string | null | undefined
  readonly asked: string | null
}

export function referenceEvaluate(flow: unknown, input: ReferenceInput) {
  const { context, cognition, roles, asked } = input
  const defaultRole = input.defaultRole ?? null
  const clauses = (Array.isArray(flow) ? flow : []).filter(isWellFormed)
  const isRegistered = (role: string) => Object.keys(roles).includes(role)
  const canWear = (role: string) =>
    isRegistered(role) && [undefined, null, cognition].includes(roles[role]!.requiredCognition)
  const matching = clauses.filter(({ role, when }) => canWear(role) && (!when || isTrue(when, context)))
  const stacked = [...new Set(matching.filter(({ stack }) => stack).map(({ role }) => role))]
  if (asked !== null) {
    const named = [...clauses.map(({ role }) => role), defaultRole]
    if (!named.includes(asked)) return { primary: null, stacked, skip: 'role-not-named' }
    return { primary: asked, stacked, skip: canWear(asked) ? undefined : 'role-unavailable' }
  }
  const primary = matching.find(({ stack }) => !stack)?.role ?? defaultRole
  if (primary === null) return { primary, stacked, skip: 'role-unresolved' }
  return { primary, stacked, skip: isRegistered(primary) ? undefined : 'role-unavailable' }
}

export function isWellFormed(clause: unknown): clause is { when?: Thing; role: string; stack?: boolean } {
  if (!isThing(clause)) return false
  if (Object.keys(clause).some((key) => !['when', 'role', 'stack'].includes(key))) return false
  if (typeof clause.role !== 'string' || !ROLE_NAME.test(clause.role)) return false
  if (Object.hasOwn(clause, 'stack') && typeof clause.stack !== 'boolean') return false
  if (!Object.hasOwn(clause, 'when')) return true
  return isWhen(clause.when, 1) && nodesOf(clause.when as Thing) <= 512
}

function isWhen(when: unknown, depth: number): boolean {
  if (!isThing(when) || depth > 32) return false
  return Object.entries(when).every(([key, value]) => {
    if (key === 'and' || key === 'or') {
      return Array.isArray(value) && value.every((part) => isWhen(part, depth + 1))
    }
    if (key === 'not') return isWhen(value, depth + 1)
    return isPath(key) && isCondition(value)
  })
}

function isPath(path: string): boolean {
  const parts = path.split('.')
  return ROOTS.includes(parts[0]!) && parts.every((part) => part.length > 0)
}

function isCondition(condition: unknown): boolean {
  if (isScalar(condition) || isScalarList(condition)) return true
  if (!isThing(condition)) return false
  return Object.entries(condition).every(([operator, operand]) => {
    if (operator === 'eq' || operator === 'ne') return isScalar(operand)
    if (operator === 'in' || operator === 'notIn') return isScalarList(operand)
    if (['gt', 'gte', 'lt', 'lte'].includes(operator)) {
      return typeof operand === 'number' && Number.isFinite(operand)
    }
    return operator === 'present' && typeof operand === 'boolean'
  })
}

function nodesOf(when: Thing): number {
  let nodes = Math.max(1, Object.keys(when).length)
  for (const [key, value] of Object.entries(when)) {
    if (key === 'and' || key === 'or') for (const part of value as Thing[]) nodes += nodesOf(part)
    if (key === 'not') nodes += nodesOf(value as Thing)
  }
  return nodes
}

function isTrue(when: Thing, context: unknown): boolean {
  for (const [key, value] of Object.entries(when)) {
    if (key === 'and') {
      for (const part of value as Thing[]) if (!isTrue(part, context)) return false
    } else if (key === 'or') {
      if ((value as Thing[]).filter((part) => isTrue(part, context)).length === 0) return false
    } else if (key === 'not') {
      if (isTrue(value as Thing, context)) return false
    } else {
      const actual = find(context, key)
      const operators = isThing(value) ? value : Array.isArray(value) ? { in: value } : { eq: value }
      for (const [operator, operand] of Object.entries(operators)) {
        if (!isMet(operator, operand, actual)) return false
      }
    }
  }
  return true
}

function find(context: unknown, path: string): unknown {
  let here: unknown = context
  for (const part of path.split('.')) {
    if (!isThing(here) || !Object.keys(here).includes(part)) return MISSING
    here = here[part]
  }
  if (typeof here === 'object' && here !== null) return OPAQUE
  if (typeof here === 'string' && new TextEncoder().encode(here).length > 256) return OPAQUE
  return here
}

function isMet(operator: string, operand: unknown, actual: unknown): boolean {
  const isEqual = (wanted: unknown) => actual !== MISSING && actual !== OPAQUE && actual === wanted
  switch (operator) {
    case 'eq':
      return isEqual(operand)
    case 'ne':
      return !isEqual(operand)
    case 'in':
      return (operand as unknown[]).some(isEqual)
    case 'notIn':
      return !(operand as unknown[]).some(isEqual)
    case 'present':
      return operand === true ? actual !== MISSING && actual !== null : actual === MISSING || actual === null
  }
  if (typeof actual !== 'number' || typeof operand !== 'number') return false
  if (operator === 'gt') return actual > operand
  if (operator === 'gte') return actual >= operand
  if (operator === 'lt') return actual < operand
  return actual <= operand
}

function isThing(value: unknown): value is Thing {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isScalar(value: unknown): boolean {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return true
  return typeof value === 'number' && Number.isFinite(value)
}

function isScalarList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isScalar)
}
