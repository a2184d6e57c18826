import type { Scalar } from './values.ts'

export const OPERATORS = ['eq', 'ne', 'in', 'notIn', 'gt', 'gte', 'lt', 'lte', 'present'] as const
export type Operator = (typeof OPERATORS)[number]
export type Operand = Scalar | readonly Scalar[]

/** `field operator value`: one test of a sentence. */
export interface Test {
  readonly field: string
  readonly operator: Operator
  readonly value: Operand
  /** written without its operator, as in `{"verb": "summon"}` */
  readonly isBare: boolean
}

/** One clause, as `WHEN test AND test … USE role`. */
export interface Sentence {
  /** null: the clause has no `when`, so it always holds */
  readonly tests: readonly Test[] | null
  /** parts of its `when` that are not a row of tests, by their keys: `or`, `not`, `and`, and what is malformed */
  readonly rest: Readonly<Record<string, unknown>>
  readonly role: string
  /** left out as the clause leaves it out */
  readonly stack?: boolean
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isScalar = (value: unknown): value is Scalar =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)
const isList = (value: unknown): value is readonly Scalar[] => Array.isArray(value) && value.every(isScalar)
const TOGETHER: ReadonlySet<string> = new Set(['and', 'or', 'not'])
const CLAUSE_KEYS: ReadonlySet<string> = new Set(['when', 'role', 'stack'])

/** Why a flow cannot be shown as sentences; null when it can. A malformed flow is edited as JSON. */
export function unsayable(flow: unknown): string | null {
  if (!Array.isArray(flow)) return 'a flow is a list of clauses'
  const at = flow.findIndex((clause) => !isClause(clause))
  return at < 0
    ? null
    : `clause ${at + 1} has other fields than when, role and stack, or they have other types`
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
    const parts = isObject(when) ? Object.entries(when).map(([key, value]) => partOf(key, value)) : []
    return {
      tests: when === undefined ? null : parts.flatMap(({ tests }) => tests ?? []),
      rest: Object.fromEntries(parts.flatMap(({ tests, entry }) => (tests === null ? [entry] : []))),
      role: role as string,
      ...(stack === undefined ? {} : { stack: stack as boolean }),
    }
  })
}

function partOf(key: string, value: unknown): { tests: Test[] | null; entry: [string, unknown] } {
  return { tests: TOGETHER.has(key) ? null : testsOf(key, value), entry: [key, value] }
}

/** @returns null for a condition that is not a row of tests */
function testsOf(field: string, condition: unknown): Test[] | null {
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
  return sentences.map(({ tests, rest, role, stack }) => ({
    ...(tests === null && Object.keys(rest).length === 0 ? {} : { when: whenOf(tests ?? [], rest) }),
    role,
    ...(stack === undefined ? {} : { stack }),
  }))
}

/** A field can stand once in a condition. What it is asked twice by the same operator goes into `and`. */
function whenOf(tests: readonly Test[], rest: Sentence['rest']): unknown {
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
  const kept = Object.entries(rest)
  if (twice.length === 0) return Object.fromEntries([...conditions, ...kept])
  const before = Array.isArray(rest.and) ? (rest.and as unknown[]) : []
  return Object.fromEntries([
    ...conditions,
    ...kept.filter(([key]) => key !== 'and'),
    ['and', [...before, ...twice]],
  ])
}

const canBeBare = ({ isBare, operator, value }: Test): boolean =>
  isBare && (operator === 'eq' ? isScalar(value) : operator === 'in' && isList(value))

/** Moves one of a list to another place; the same list when it is there already, or there is no such place. */
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
