import { t } from '../language/index.ts'
import type { Scalar } from './values.ts'

export const OPERATORS = ['eq', 'ne', 'in', 'notIn', 'gt', 'gte', 'lt', 'lte', 'present'] as const
export type Operator = (typeof OPERATORS)[number]
export type Operand = Scalar | readonly Scalar[]

/** `field operator value`: one test of a sentence. */
export interface SentenceTest {
  readonly field: string
  readonly operator: Operator
  readonly value: Operand
  /** written without its operator, as in `{"verb": "summon"}` */
  readonly isBare: boolean
}

/** Conditions of which all have to hold (`and`), or one (`or`), or the only one must not (`not`). */
export interface ConditionGroup {
  readonly word: 'and' | 'or' | 'not'
  readonly of: readonly Condition[]
}

/** What has to hold: all of its tests, and all of its groups. */
export interface Condition {
  readonly tests: readonly SentenceTest[]
  /** at most one of each word */
  readonly groups: readonly ConditionGroup[]
  /** parts that are malformed, or lie too deep, by their keys */
  readonly rest: Readonly<Record<string, unknown>>
}

/** One clause, as `WHEN test AND test … USE role`. */
export interface Sentence extends Omit<Condition, 'tests'> {
  /** null: the clause has no `when`, so it always holds */
  readonly tests: readonly SentenceTest[] | null
  readonly role: string
  /** left out as the clause leaves it out */
  readonly stack?: boolean
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isScalar = (value: unknown): value is Scalar =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)
const isList = (value: unknown): value is readonly Scalar[] => Array.isArray(value) && value.every(isScalar)
/** Deeper groups are left to the JSON view. */
const DEPTH_MAX = 4
const CLAUSE_KEYS: ReadonlySet<string> = new Set(['when', 'role', 'stack'])

/** Why a flow cannot be shown as sentences; null when it can. A malformed flow is edited as JSON. */
export function unsayable(flow: unknown): string | null {
  if (!Array.isArray(flow)) return t('a flow is a list of clauses')
  const at = flow.findIndex((clause) => !isClause(clause))
  return at < 0
    ? null
    : t('clause {{n}} has other fields than when, role and stack, or they have other types', { n: at + 1 })
}

function isClause(clause: unknown): boolean {
  if (!isObject(clause) || Object.keys(clause).some((key) => !CLAUSE_KEYS.has(key))) return false
  const { when, role, stack } = clause
  return (
    typeof role === 'string' &&
    (stack === undefined || typeof stack === 'boolean') &&
    (when === undefined || isObject(when))
  )
}

/** The sentences of a flow of which `unsayable` says nothing. */
export function sentencesOf(flow: unknown): Sentence[] {
  return (flow as readonly Readonly<Record<string, unknown>>[]).map(({ when, role, stack }) => {
    const condition = conditionOf(isObject(when) ? when : {}, 0)
    return {
      ...condition,
      tests: when === undefined ? null : condition.tests,
      role: role as string,
      ...(stack === undefined ? {} : { stack: stack as boolean }),
    }
  })
}

function conditionOf(when: Readonly<Record<string, unknown>>, depth: number): Condition {
  const tests: SentenceTest[] = []
  const groups: ConditionGroup[] = []
  const rest: [string, unknown][] = []
  for (const [key, value] of Object.entries(when)) {
    const group = isWord(key) ? conditionGroup(key, value, depth) : null
    const row = isWord(key) ? null : testsOf(key, value)
    if (group !== null) groups.push(group)
    else if (row !== null) tests.push(...row)
    else rest.push([key, value])
  }
  return { tests, groups, rest: Object.fromEntries(rest) }
}

const isWord = (key: string): key is ConditionGroup['word'] => key === 'and' || key === 'or' || key === 'not'

/** @returns null for what is malformed or too deep */
function conditionGroup(word: ConditionGroup['word'], value: unknown, depth: number): ConditionGroup | null {
  const of = word === 'not' ? [value] : value
  if (depth >= DEPTH_MAX || !Array.isArray(of) || !of.every(isObject)) return null
  return { word, of: of.map((one) => conditionOf(one, depth + 1)) }
}

/** @returns null for a condition that is not a row of tests */
function testsOf(field: string, condition: unknown): SentenceTest[] | null {
  if (isScalar(condition)) return [{ field, operator: 'eq', value: condition, isBare: true }]
  if (isList(condition)) return [{ field, operator: 'in', value: condition, isBare: true }]
  if (!isObject(condition)) return null
  const entries = Object.entries(condition)
  const isRow = ([operator, operand]: [string, unknown]) =>
    isOperator(operator) && (takesList(operator) ? isList(operand) : isScalar(operand))
  if (entries.length === 0 || !entries.every(isRow)) return null
  return entries.map(([operator, value]) => ({
    field,
    operator: operator as Operator,
    value: value as Operand,
    isBare: false,
  }))
}

const isOperator = (word: string): word is Operator => (OPERATORS as readonly string[]).includes(word)
export const takesList = (operator: Operator): boolean => operator === 'in' || operator === 'notIn'

/** The flow that sentences say. */
export function flowOf(sentences: readonly Sentence[]): unknown[] {
  return sentences.map(({ tests, groups, rest, role, stack }) => ({
    ...(tests === null && groups.length === 0 && Object.keys(rest).length === 0
      ? {}
      : { when: whenOf({ tests: tests ?? [], groups, rest }) }),
    role,
    ...(stack === undefined ? {} : { stack }),
  }))
}

/** A field can stand once in a condition. What it is asked twice by the same operator goes into `and`. */
function whenOf({ tests, groups, rest }: Condition): unknown {
  const fields = Map.groupBy(tests, ({ field }) => field)
  const twice: unknown[] = []
  const conditions = [...fields].map(([field, asked]): [string, unknown] => {
    const [only] = asked
    if (only !== undefined && asked.length === 1 && canBeBare(only)) return [field, only.value]
    const operators = new Map<Operator, Operand>()
    for (const { operator, value } of asked) {
      if (operators.has(operator))
        twice.push(Object.fromEntries([[field, Object.fromEntries([[operator, value]])]]))
      else operators.set(operator, value)
    }
    return [field, Object.fromEntries(operators)]
  })
  const together = groups.map(({ word, of }): [string, unknown] => {
    const said = of.map(whenOf)
    return [word, word === 'not' ? (said[0] ?? {}) : said]
  })
  const said = Object.fromEntries([...conditions, ...together, ...Object.entries(rest)])
  if (twice.length === 0) return said
  const before = Array.isArray(said.and) ? (said.and as unknown[]) : []
  return Object.fromEntries([...Object.entries(said), ['and', [...before, ...twice]]])
}

const canBeBare = ({ isBare, operator, value }: SentenceTest): boolean =>
  isBare && (operator === 'eq' ? isScalar(value) : operator === 'in' && isList(value))

/**
 * Moves one of a list to another place; the same list when it is there already, or there is no such place.
 */
export function moved<T>(list: readonly T[], at: number, to: number): readonly T[] {
  const one = list[at]
  if (at === to || one === undefined || list[to] === undefined) return list
  return list.toSpliced(at, 1).toSpliced(to, 0, one)
}

/** The operand that fits another operator, of the one that stands there. */
export function operandFor(operator: Operator, value: Operand): Operand {
  if (takesList(operator)) return Array.isArray(value) ? value : value === '' ? [] : [value as Scalar]
  const one = Array.isArray(value) ? ((value[0] as Scalar | undefined) ?? '') : (value as Scalar)
  return operator === 'present' ? one !== false : one
}
