import type { Json, RoleName } from '@treeos/core'
import type { CompiledClause, CompiledFlow } from '../evaluate/compile.ts'
import { lookUp } from '../evaluate/context-values.ts'
import { evaluateFlow, type FlowInput, isWearable, needsOf, type SkipReason } from '../evaluate/evaluate.ts'
import { isMet, type Operator } from '../parse/condition.ts'
import { show } from '../parse/fault.ts'
import type { Node } from '../parse/parse-flow.ts'

/**
 * From whom the qualities of the place are hidden: from the being, so that its flow reads nothing there, or
 * from whoever reads the explanation.
 */
export type HiddenPlace = 'being' | 'reader'

/** Whether a path of a flow is of the qualities of the place. */
export const isOfPlace = (path: string): boolean => /^space(?:$|\.quality(?:\.|$))/.test(path)

/**
 * One operator on one path. `actual` is absent when the path is missing or hidden, `{}` when its value equals
 * nothing.
 */
export type TraceTest = {
  readonly path: string
  readonly operator: Operator
  readonly expected: Json
  readonly actual?: Json
  /** left out where it is not hidden */
  readonly hidden?: HiddenPlace
  readonly result: boolean
}
export type TraceGroup = {
  readonly operator: 'and' | 'or' | 'not'
  readonly result: boolean
  readonly nodes: readonly Trace[]
}
export type Trace = TraceTest | TraceGroup

/**
 * Result of a clause. `shadowed`: a plain clause that matches after the primary was found. `repeated`: it
 * matches, but its role is stacked already. `skipped`: its role is not registered or needs another cognition,
 * whatever its `when`.
 */
export type ClauseResult =
  | 'primary'
  | 'stacked'
  | 'shadowed'
  | 'repeated'
  | 'skipped'
  | 'no-match'
  | 'malformed'

export type ClauseTrace = {
  readonly index: number
  /** as written; null when it is not a string */
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

/**
 * Explains the result of every clause. It uses the evaluator's own result and tests.
 * @param hidden from whom the place is hidden: its values are left out
 */
export function explainFlow(
  flow: CompiledFlow,
  input: FlowInput,
  hidden: HiddenPlace | null = null,
): Explanation {
  const { primary, stacked, skip } = evaluateFlow(flow, input)
  const before: ClauseResults = { winner: null, worn: new Set() }
  const clauses = flow.clauses.map((clause): ClauseTrace => {
    const { index, role, stack } = clause
    const tree = clause.fault === null ? trace(clause.when, input.context as Json, hidden) : null
    const result = resultOf(clause, tree, input, before)
    if (result === 'primary') before.winner = index
    if (result === 'stacked') before.worn.add(role!)
    return {
      index,
      role,
      stack,
      result,
      reason: clauseReason(clause, result, tree, input, before.winner),
      tree,
    }
  })
  const source =
    primary === null ? null : input.asked != null ? 'asked' : before.winner === null ? 'default' : 'clause'
  return { clauses, primary, source, stacked, ...(skip === undefined ? {} : { skip }) }
}

/** Results of the clauses so far. */
interface ClauseResults {
  winner: number | null
  readonly worn: Set<RoleName>
}

function resultOf(
  clause: CompiledClause,
  tree: Trace | null,
  input: FlowInput,
  { winner, worn }: ClauseResults,
): ClauseResult {
  if (tree === null) return 'malformed'
  if (!isWearable(clause.role!, input)) return 'skipped'
  if (!tree.result) return 'no-match'
  if (clause.stack) return worn.has(clause.role!) ? 'repeated' : 'stacked'
  return winner === null && input.asked == null ? 'primary' : 'shadowed'
}

function trace(node: Node, context: Json, hidden: HiddenPlace | null): Trace {
  if (node.kind === 'test') {
    const { path, operator, expected } = node
    const actual = lookUp(context, node.keys)
    const result = isMet(operator, actual, expected)
    if (hidden !== null && isOfPlace(path)) return { path, operator, expected, hidden, result }
    return { path, operator, expected, ...(actual === undefined ? {} : { actual }), result }
  }
  const nodes = node.nodes.map((part) => trace(part, context, hidden))
  if (node.kind === 'or') return { operator: 'or', result: nodes.some(({ result }) => result), nodes }
  if (node.kind === 'and') return { operator: 'and', result: nodes.every(({ result }) => result), nodes }
  return { operator: 'not', result: !nodes[0]!.result, nodes }
}

function clauseReason(
  { role, fault }: CompiledClause,
  result: ClauseResult,
  tree: Trace | null,
  input: FlowInput,
  winner: number | null,
): string {
  switch (result) {
    case 'malformed':
      return `${fault!.path}: ${fault!.message}`
    case 'skipped':
      return whyUnwearable(role!, input)
    case 'shadowed':
      return input.asked == null
        ? `it matches, but clause ${winner} did before`
        : `it matches, but the wake asked for role ${input.asked}`
    case 'repeated':
      return `it matches, but role ${role} is stacked already`
    case 'no-match':
      return whyFalse(tree!)
    default:
      return isUnconditional(tree!) ? 'it has no condition' : 'its conditions hold'
  }
}

function whyUnwearable(role: RoleName, { roles, cognition }: FlowInput): string {
  const needs = needsOf(role, roles)
  if (needs === undefined) return `role ${role} is not registered`
  return `role ${role} needs cognition ${needs.requiredCognition}, the being's is ${cognition}`
}

const isUnconditional = (tree: Trace) => 'nodes' in tree && tree.nodes.length === 0

/** @param text of a value */
export function actualText(
  { actual, hidden }: Pick<TraceTest, 'actual' | 'hidden'>,
  text: (value: Json) => string = show,
): string {
  if (hidden !== undefined) return hidden === 'reader' ? 'hidden from you' : 'hidden from the being'
  return actual === undefined ? 'missing' : text(actual)
}

/** The first condition that made the tree false. */
function whyFalse(tree: Trace): string {
  if (!('nodes' in tree)) {
    return `${tree.path} is ${actualText(tree)}, wanted ${tree.operator} ${JSON.stringify(tree.expected)}`
  }
  if (tree.operator === 'or') return `none of its ${tree.nodes.length} alternatives holds`
  if (tree.operator === 'not') return 'what stands under not holds'
  const failed = tree.nodes.find(({ result }) => !result)
  return failed === undefined ? '' : whyFalse(failed)
}
