import type { Json, RoleName } from '@treeos/core'
import { actualOf, testHolds } from './condition.ts'
import type { Fault } from './fault.ts'
import { type Group, type Node, parseFlow } from './parse-flow.ts'

export interface CompiledClause {
  readonly index: number
  /** as written; null when it is no string */
  readonly role: RoleName | null
  readonly stack: boolean
  readonly when: Group
  /** the first reason why the clause can never match; null when it is well formed */
  readonly fault: Fault | null
  readonly matches: (context: Json) => boolean
}

/** A flow made ready once, by digest, for any number of moments. Holds no reference to its source. */
export interface CompiledFlow {
  readonly clauses: readonly CompiledClause[]
  /** sorted distinct dotted paths that well-formed clauses read */
  readonly paths: readonly string[]
  /** every role that a well-formed clause names */
  readonly roleNames: ReadonlySet<RoleName>
  /** set when the flow is no array; it then has no clauses */
  readonly fault: Fault | null
}

type Predicate = (context: Json) => boolean
const NEVER: Predicate = () => false

/**
 * Makes a flow ready to evaluate. Never throws: a clause with anything malformed in it, even under `not` or in a
 * branch that would not be reached, is kept with its reason and never matches.
 * @param flow anything; what is no array has no clauses, so that the default role is all there is
 */
export function compileFlow(flow: unknown): CompiledFlow {
  const { clauses, fault } = parseFlow(flow)
  const wellFormed = clauses.filter(({ faults }) => faults.length === 0)
  return {
    clauses: clauses.map(({ index, role, stack, when, faults }) => {
      const first = faults[0] ?? null
      return { index, role, stack, when, fault: first, matches: first === null ? predicate(when) : NEVER }
    }),
    paths: [...new Set(wellFormed.flatMap(({ paths }) => paths))].sort(),
    roleNames: new Set(wellFormed.flatMap(({ role }) => role ?? [])),
    fault,
  }
}

function predicate(node: Node): Predicate {
  if (node.kind === 'test') return (context) => testHolds(node, actualOf(node, context))
  const parts = node.nodes.map(predicate)
  if (node.kind === 'or') return (context) => parts.some((holds) => holds(context))
  if (node.kind === 'and') return (context) => parts.every((holds) => holds(context))
  return (context) => !parts[0]!(context)
}

/** Sorted distinct dotted paths that a flow reads; malformed clauses read nothing. What a being is woken by. */
export function flowPaths(flow: unknown): readonly string[] {
  return compileFlow(flow).paths
}

/** Sorted distinct roles that a flow's well-formed clauses name, stacked ones included. */
export function flowRoles(flow: unknown): readonly RoleName[] {
  return [...compileFlow(flow).roleNames].sort()
}
