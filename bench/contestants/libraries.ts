import { type CompiledClause, compileFlow, type RoleFlow } from '@treeos/roles'
import jsonLogicJs, { type RulesLogic } from 'json-logic-js'
import { Engine, type NestedCondition, type TopLevelCondition } from 'json-rules-engine'
import jsonata from 'jsonata'
import { Query } from 'mingo'
import sift from 'sift'
import type { Libraries } from '../src/evaluate/benchmark.ts'
import type { Answer, Evaluate, Moment } from '../src/evaluate/workload.ts'

/**
 * Rule libraries, each with the conditions in its own format, prepared once. The libraries evaluate
 * conditions only, so they share one walk over the clauses. The walk evaluates no condition that it does not
 * need.
 */
type Node = CompiledClause['when']['nodes'][number]
type Test = Extract<Node, { kind: 'test' }>
type Operator = Test['operator']

interface Wearing {
  readonly role: string
  readonly stack: boolean
}

/** Is the role registered, and for this cognition? */
function isWearable(role: string, { roles, cognition }: Moment): boolean {
  const needs = roles[role]
  return needs !== undefined && (needs.requiredCognition === null || needs.requiredCognition === cognition)
}

function clausesOf<T>(flow: RoleFlow, translate: (when: Node) => T): (Wearing & { readonly condition: T })[] {
  return compileFlow(flow).clauses.map(({ role, stack, when }) => ({
    role: role ?? '',
    stack,
    condition: translate(when),
  }))
}

function walk<T>(
  clauses: readonly (Wearing & { readonly condition: T })[],
  holds: (condition: T, moment: Moment) => boolean,
): (moment: Moment) => Answer {
  return (moment) => {
    let primary: string | null = null
    const stacked: string[] = []
    for (const { role, stack, condition } of clauses) {
      if (stack ? stacked.includes(role) : primary !== null) continue
      if (!holds(condition, moment) || !isWearable(role, moment)) continue
      if (stack) stacked.push(role)
      else primary = role
    }
    return { primary: primary ?? moment.defaultRole, stacked }
  }
}

function jsonLogic(flow: RoleFlow): Evaluate {
  const OPERATORS: Partial<Record<Operator, string>> = {
    eq: '===',
    ne: '!==',
    in: 'in',
    gt: '>',
    gte: '>=',
    lt: '<',
    lte: '<=',
  }
  const translate = (node: Node): RulesLogic => {
    if (node.kind === 'test') {
      return { [wordOf(OPERATORS, node)]: [{ var: node.path }, node.expected] } as unknown as RulesLogic
    }
    const parts = node.nodes.map(translate)
    if (node.kind === 'not') return { '!': parts } as RulesLogic
    return parts.length === 1 ? (parts[0] as RulesLogic) : ({ [node.kind]: parts } as RulesLogic)
  }
  return walk(clausesOf(flow, translate), (logic, { context }) => jsonLogicJs.apply(logic, context) === true)
}

/** A MongoDB query: fields with their operators, and composite conditions in the same object. */
function mongoQuery(node: Node): Record<string, unknown> {
  if (node.kind === 'test') return { [node.path]: { [`$${node.operator}`]: node.expected } }
  if (node.kind !== 'and') return { [node.kind === 'not' ? '$nor' : '$or']: node.nodes.map(mongoQuery) }
  const query: Record<string, unknown> = {}
  for (const part of node.nodes.map(mongoQuery)) {
    for (const [key, value] of Object.entries(part)) {
      if (key.startsWith('$') && Object.hasOwn(query, key)) throw new Error(`two ${key} in one group`)
      query[key] = key.startsWith('$') ? value : { ...(query[key] as object), ...(value as object) }
    }
  }
  return query
}

function siftQueries(flow: RoleFlow): Evaluate {
  const clauses = clausesOf(flow, (when) => sift.default(mongoQuery(when)))
  return walk(clauses, (matches, { context }) => matches(context))
}

function mingoQueries(flow: RoleFlow): Evaluate {
  const clauses = clausesOf(flow, (when) => new Query(mongoQuery(when), {}))
  return walk(clauses, (query, { context }) => query.test(context))
}

/** Runs all rules at once, as the library intends. The walk then picks among the rules that matched. */
function jsonRulesEngine(flow: RoleFlow): Evaluate {
  const OPERATORS: Partial<Record<Operator, string>> = {
    eq: 'equal',
    ne: 'notEqual',
    in: 'in',
    gt: 'greaterThan',
    gte: 'greaterThanInclusive',
    lt: 'lessThan',
    lte: 'lessThanInclusive',
  }
  const translate = (node: Node): NestedCondition => {
    if (node.kind === 'test') {
      const [fact = '', ...rest] = node.path.split('.')
      const path = rest.length === 0 ? {} : { path: rest.join('.') }
      return { fact, ...path, operator: wordOf(OPERATORS, node), value: node.expected }
    }
    const [first = { all: [] }, ...others] = node.nodes.map(translate)
    if (node.kind === 'not') return { not: first }
    return node.kind === 'or' ? { any: [first, ...others] } : { all: [first, ...others] }
  }
  const clauses = clausesOf(flow, translate)
  const pathResolver = (value: unknown, path: string): unknown => {
    let here = value
    for (const key of path.split('.')) here = (here as Record<string, unknown> | null | undefined)?.[key]
    return here
  }
  const rules = clauses.map(({ condition }, index) => ({
    conditions: condition as TopLevelCondition,
    event: { type: String(index) },
  }))
  const engine = new Engine(rules, { allowUndefinedFacts: true, pathResolver })
  const indexed = clauses.map((clause, index) => ({ ...clause, condition: String(index) }))
  return async (moment) => {
    const { events } = await engine.run(moment.context)
    const held = new Set(events.map(({ type }) => type))
    return walk(indexed, (index) => held.has(index))(moment)
  }
}

function jsonataExpressions(flow: RoleFlow): Evaluate {
  const OPERATORS: Partial<Record<Operator, string>> = {
    eq: '=',
    ne: '=',
    in: 'in',
    gt: '>',
    gte: '>=',
    lt: '<',
    lte: '<=',
  }
  const translate = (node: Node): string => {
    if (node.kind !== 'test') {
      const parts = node.nodes.map((part) => `(${translate(part)})`)
      return node.kind === 'not' ? `$not(${parts[0]})` : parts.join(` ${node.kind} `)
    }
    const path = node.path
      .split('.')
      .map((key) => `\`${key}\``)
      .join('.')
    const test = `${path} ${wordOf(OPERATORS, node)} ${JSON.stringify(node.expected)}`
    // For this library a missing path is neither equal nor unequal.
    if (node.operator === 'ne') return `$not(${test})`
    // This library throws when it compares anything but two numbers.
    return test.includes('<') || test.includes('>') ? `$type(${path}) = "number" and ${test}` : test
  }
  const clauses = clausesOf(flow, (when) => jsonata(translate(when)))
  return async (moment) => {
    let primary: string | null = null
    const stacked: string[] = []
    for (const { role, stack, condition } of clauses) {
      if (stack ? stacked.includes(role) : primary !== null) continue
      if ((await condition.evaluate(moment.context)) !== true || !isWearable(role, moment)) continue
      if (stack) stacked.push(role)
      else primary = role
    }
    return { primary: primary ?? moment.defaultRole, stacked }
  }
}

function wordOf(words: Partial<Record<Operator, string>>, { operator }: Test): string {
  const word = words[operator]
  if (word === undefined) throw new Error(`the workload uses ${operator}, which has no translation`)
  return word
}

export const libraries: Libraries = {
  'json-logic-js': jsonLogic,
  'json-rules-engine': jsonRulesEngine,
  sift: siftQueries,
  mingo: mingoQueries,
  jsonata: jsonataExpressions,
}
