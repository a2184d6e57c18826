import type { Json, RoleName } from '@treeos/core'
import type { CompiledClause, CompiledFlow } from './compile.ts'
import { actualOf, type Operator, testHolds } from './condition.ts'
import { type ClauseResult, type FlowInput, type SkipReason, walkFlow, whyUnavailable } from './evaluate.ts'
import { show } from './fault.ts'
import type { Node } from './parse-flow.ts'

/** One operator on one path. `actual` is absent when the path is missing, `{}` when its value equals nothing. */
export type TraceTest = {
  readonly path: string
  readonly operator: Operator
  readonly expected: Json
  readonly actual?: Json
  readonly result: boolean
}
export type TraceGroup = {
  readonly operator: 'and' | 'or' | 'not'
  readonly result: boolean
  readonly nodes: readonly Trace[]
}
export type Trace = TraceTest | TraceGroup

export type ClauseTrace = {
  readonly index: number
  /** as written; null when it is no string */
  readonly role: string | null
  readonly stack: boolean
  readonly result: ClauseResult
  /** one line for people */
  readonly reason: string
  /** every condition with its actual value, reached or not; null for a malformed clause */
  readonly tree: Trace | null
}

export type Explanation = {
  readonly clauses: readonly ClauseTrace[]
  readonly primary: RoleName | null
  /** where the primary comes from; null when there is none */
  readonly source: 'clause' | 'default' | 'asked' | null
  readonly stacked: readonly RoleName[]
  readonly skip?: SkipReason
}

/** Says of every clause how it fared and why. It walks and tests with the evaluator's code, so it cannot disagree. */
export function explainFlow(flow: CompiledFlow, input: FlowInput): Explanation {
  const clauses: ClauseTrace[] = []
  let winner: number | null = null
  const { primary, stacked, skip } = walkFlow(flow, input, (clause, walked) => {
    const tree = clause.fault === null ? trace(clause.when, input.context as Json) : null
    const isIdle = (walked === 'shadowed' || walked === 'repeated') && tree?.result === false
    const result = isIdle ? 'no-match' : walked
    if (result === 'primary') winner = clause.index
    const reason = reasonOf(clause, result, tree, input, winner)
    clauses.push({ index: clause.index, role: clause.role, stack: clause.stack, result, reason, tree })
  })
  const source =
    primary === null ? null : input.asked != null ? 'asked' : winner === null ? 'default' : 'clause'
  return { clauses, primary, source, stacked, ...(skip === undefined ? {} : { skip }) }
}

function trace(node: Node, context: Json): Trace {
  if (node.kind === 'test') {
    const { path, operator, expected } = node
    const actual = actualOf(node, context)
    const seen = actual === undefined ? {} : { actual }
    return { path, operator, expected, ...seen, result: testHolds(node, actual) }
  }
  const nodes = node.nodes.map((part) => trace(part, context))
  if (node.kind === 'or') return { operator: 'or', result: nodes.some(({ result }) => result), nodes }
  if (node.kind === 'and') return { operator: 'and', result: nodes.every(({ result }) => result), nodes }
  return { operator: 'not', result: !nodes[0]!.result, nodes }
}

function reasonOf(
  { role, fault }: CompiledClause,
  result: ClauseResult,
  tree: Trace | null,
  { roles, cognition, asked }: FlowInput,
  winner: number | null,
): string {
  switch (result) {
    case 'malformed':
      return `${fault!.path}: ${fault!.message}`
    case 'skipped':
      return whyUnavailable(role!, roles, cognition) ?? ''
    case 'shadowed':
      return asked == null
        ? `it matches, but clause ${winner} did before`
        : `it matches, but the wake asked for role ${asked}`
    case 'repeated':
      return `it matches, but role ${role} is stacked already`
    case 'no-match':
      return whyFalse(tree!)
    default:
      return isUnconditional(tree!) ? 'it has no condition' : 'its conditions hold'
  }
}

const isUnconditional = (tree: Trace) => 'nodes' in tree && tree.nodes.length === 0

/** The first condition that a false tree failed on. */
function whyFalse(tree: Trace): string {
  if (!('nodes' in tree)) {
    const actual = tree.actual === undefined ? 'missing' : show(tree.actual)
    return `${tree.path} is ${actual}, wanted ${tree.operator} ${JSON.stringify(tree.expected)}`
  }
  if (tree.operator === 'or') return `none of its ${tree.nodes.length} alternatives holds`
  if (tree.operator === 'not') return 'what stands under not holds'
  const failed = tree.nodes.find(({ result }) => !result)
  return failed === undefined ? '' : whyFalse(failed)
}
