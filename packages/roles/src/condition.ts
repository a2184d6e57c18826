import { type Json, type JsonObject, LIMITS, readPath, utf8Length } from '@treeos/core'
import { show } from './fault.ts'
import type { Operators, Scalar } from './when.ts'

export type Operator = keyof Operators

/** One operator on one path: the leaf of every `when`, and the only place where a context is read. */
export interface Test {
  readonly kind: 'test'
  readonly path: string
  readonly keys: readonly string[]
  readonly operator: Operator
  readonly expected: Scalar | readonly Scalar[]
}

/** What stands in a slice for a value that is present but equals nothing. */
export const OPAQUE: JsonObject = Object.freeze({})

interface Rule {
  readonly holds: (actual: Json | undefined, expected: Test['expected']) => boolean
  readonly takes: 'scalar' | 'list' | 'number' | 'boolean'
}

const bothNumbers = (compare: (actual: number, expected: number) => boolean): Rule => ({
  holds: (actual, expected) =>
    typeof actual === 'number' && typeof expected === 'number' && compare(actual, expected),
  takes: 'number',
})
const isIn: Rule['holds'] = (actual, expected) => (expected as readonly unknown[]).includes(actual)

const RULES: Readonly<Record<Operator, Rule>> = {
  eq: { holds: (actual, expected) => actual === expected, takes: 'scalar' },
  ne: { holds: (actual, expected) => actual !== expected, takes: 'scalar' },
  in: { holds: isIn, takes: 'list' },
  notIn: { holds: (actual, expected) => !isIn(actual, expected), takes: 'list' },
  gt: bothNumbers((actual, expected) => actual > expected),
  gte: bothNumbers((actual, expected) => actual >= expected),
  lt: bothNumbers((actual, expected) => actual < expected),
  lte: bothNumbers((actual, expected) => actual <= expected),
  present: {
    holds: (actual, expected) => (actual !== undefined && actual !== null) === expected,
    takes: 'boolean',
  },
}
export const OPERATORS = Object.keys(RULES) as readonly Operator[]

export function isOperator(key: string): key is Operator {
  return Object.hasOwn(RULES, key)
}

export function isScalar(value: unknown): value is Scalar {
  return (
    value === null ||
    typeof value === 'boolean' ||
    typeof value === 'string' ||
    Number.isFinite(value as number)
  )
}

/**
 * What a test sees of a context's value: scalars as they are, `undefined` when missing, and {@link OPAQUE} for an
 * object, an array or a string over `comparableBytesMax`. A slice holds exactly this, so slice and context agree.
 */
export function comparable(value: Json | undefined): Json | undefined {
  if (typeof value === 'string') return isLong(value) ? OPAQUE : value
  return typeof value === 'object' && value !== null ? OPAQUE : value
}

export function isLong(text: string): boolean {
  if (text.length > LIMITS.comparableBytesMax) return true
  return text.length * 3 > LIMITS.comparableBytesMax && utf8Length(text) > LIMITS.comparableBytesMax
}

export function actualOf(test: Test, context: Json): Json | undefined {
  return comparable(readPath(context, test.keys))
}

/** The semantics of every operator: evaluate and explain both decide here. */
export function testHolds(test: Test, actual: Json | undefined): boolean {
  return RULES[test.operator].holds(actual, test.expected)
}

/**
 * @returns why a value cannot be the operator's operand, `at` being the index of a list's bad member, as in `[1]`;
 *   null when it can
 */
export function operandFault(operator: Operator, operand: unknown): { at: string; message: string } | null {
  const { takes } = RULES[operator]
  if (takes === 'list') return listFault(operator, operand)
  if (takes === 'number' && Number.isFinite(operand)) return null
  if (takes === 'boolean' && typeof operand === 'boolean') return null
  if (takes === 'scalar' && isScalar(operand)) return null
  const wanted = { scalar: SCALARS, number: 'a finite number', boolean: 'true or false' }[takes]
  return { at: '', message: `${operator} takes ${wanted}, not ${show(operand)}` }
}

const SCALARS = 'a string, a finite number, true, false or null'

function listFault(operator: Operator, operand: unknown): { at: string; message: string } | null {
  if (!Array.isArray(operand)) {
    return { at: '', message: `${operator} takes an array of values, not ${show(operand)}` }
  }
  // Counted by hand: a hole in an array is a fault, and iteration methods step over holes.
  for (let i = 0; i < operand.length; i++) {
    if (isScalar(operand[i])) continue
    return { at: `[${i}]`, message: `a value to compare with is ${SCALARS}, not ${show(operand[i])}` }
  }
  return null
}
