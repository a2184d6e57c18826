import type { Json } from '@treeos/core'
import type { Operators, Scalar } from '../shape/when.ts'
import { show } from './fault.ts'

export type Operator = keyof Operators

/** One operator on one path: the leaf of every `when`. */
export interface Test {
  readonly kind: 'test'
  readonly path: string
  readonly keys: readonly string[]
  readonly operator: Operator
  readonly expected: Scalar | readonly Scalar[]
}

const TAKES: Readonly<Record<Operator, 'scalar' | 'list' | 'number' | 'boolean'>> = {
  eq: 'scalar',
  ne: 'scalar',
  in: 'list',
  notIn: 'list',
  gt: 'number',
  gte: 'number',
  lt: 'number',
  lte: 'number',
  present: 'boolean',
}
export const OPERATORS = Object.keys(TAKES) as readonly Operator[]

export function isOperator(key: string): key is Operator {
  return Object.hasOwn(TAKES, key)
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
 * The semantics of every operator: evaluate and explain both decide here.
 * @param expected an operand; a symbol stands for one that no value equals
 */
export function isMet(
  operator: Operator,
  actual: Json | undefined,
  expected: Scalar | symbol | readonly Scalar[],
): boolean {
  switch (operator) {
    case 'eq':
      return actual === expected
    case 'ne':
      return actual !== expected
    case 'in':
      return isAmong(actual, expected as readonly Scalar[])
    case 'notIn':
      return !isAmong(actual, expected as readonly Scalar[])
    case 'present':
      return (actual !== undefined && actual !== null) === expected
  }
  if (typeof actual !== 'number' || typeof expected !== 'number') return false
  if (operator === 'gt') return actual > expected
  if (operator === 'gte') return actual >= expected
  return operator === 'lt' ? actual < expected : actual <= expected
}

/** Like `includes`, but faster for short lists. */
function isAmong(actual: Json | undefined, values: readonly Scalar[]): boolean {
  for (let i = 0; i < values.length; i++) if (values[i] === actual) return true
  return false
}

/**
 * @returns why a value cannot be an operand of the operator, with `at`, the index of a list's bad member, as
 *   in `[1]`; null when it can
 */
export function operandFault(operator: Operator, operand: unknown): { at: string; message: string } | null {
  const takes = TAKES[operator]
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
  // A loop by index: a hole in an array is a fault, and iteration methods skip holes.
  for (let i = 0; i < operand.length; i++) {
    if (isScalar(operand[i])) continue
    return { at: `[${i}]`, message: `a value to compare with is ${SCALARS}, not ${show(operand[i])}` }
  }
  return null
}
