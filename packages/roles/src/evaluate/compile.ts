import type { Json, RoleName } from '@treeos/core'
import type { Operator, Test } from '../parse/condition.ts'
import type { ParseFault } from '../parse/fault.ts'
import { type Group, type Node, type ParsedClause, parseFlow } from '../parse/parse-flow.ts'
import { type Operand, operandOf, Paths, type ReadyPath } from './context-values.ts'

export interface CompiledClause {
  readonly index: number
  /** as written; null when it is not a string */
  readonly role: RoleName | null
  readonly stack: boolean
  readonly when: Group
  /** the first reason why the clause can never match; null when it is well formed */
  readonly fault: ParseFault | null
}

/** A flow compiled once for any number of moments. It holds no reference to its source. */
export interface CompiledFlow {
  readonly clauses: readonly CompiledClause[]
  /** sorted distinct dotted paths that well-formed clauses read */
  readonly paths: readonly string[]
  /** what the reading of a context begins with */
  readonly unread: Paths['unread']
  /** first tests of the plain clauses and of the stacked ones; malformed clauses have none */
  readonly plain: Next
  readonly stacked: Next
  /** every role that a well-formed clause names */
  readonly roleNames: ReadonlySet<RoleName>
  /** set when the flow is not an array; it then has no clauses */
  readonly fault: ParseFault | null
}

/**
 * The next step of an evaluation; null at the end. A flow is compiled to a graph of tests: where the result
 * of a test leads expresses `and`, `or`, `not` and the order of clauses. An evaluation never meets a test
 * twice.
 */
export type Next = Step | Fork | Match | null

export interface Step {
  readonly kind: 'step'
  readonly path: ReadyPath
  readonly operator: Operator
  readonly expected: Operand
  readonly met: Next
  readonly unmet: Next
}

/**
 * Neighbouring clauses that begin with equality tests of one path: one lookup of the value finds the right
 * one.
 */
export interface Fork {
  readonly kind: 'fork'
  readonly path: ReadyPath
  readonly cases: ReadonlyMap<Json | undefined, Next>
  readonly otherwise: Next
}

/** The conditions of a clause hold. */
export interface Match {
  readonly kind: 'match'
  readonly role: RoleName
  /** the clauses behind it */
  readonly rest: Next
}

/** Every field of a node, so that all have one shape: V8 then reads their fields faster. */
const BLANK = {
  kind: null,
  path: null,
  operator: null,
  expected: null,
  met: null,
  unmet: null,
  cases: null,
  otherwise: null,
  role: null,
  rest: null,
}
const made = <One extends Step | Fork | Match>(one: One): One => ({ ...BLANK, ...one })

const known = new WeakMap<object, CompiledFlow>()

/**
 * Compiles a flow. Never throws: a clause with a malformed part, even under `not` or in a branch that is
 * never reached, is kept with the reason and never matches.
 * @param flow anything; a value that is not an array has no clauses, so the default role is used. The result
 *   is cached by the array, so make a new array to change a flow
 */
export function compileFlow(flow: unknown): CompiledFlow {
  if (!Array.isArray(flow)) return compile(flow)
  const before = known.get(flow)
  if (before !== undefined) return before
  const compiled = compile(flow)
  known.set(flow, compiled)
  return compiled
}

function compile(flow: unknown): CompiledFlow {
  const { clauses, fault } = parseFlow(flow)
  const wellFormed = clauses.filter(({ faults }) => faults.length === 0)
  const paths = [...new Set(wellFormed.flatMap(({ paths }) => paths))].sort()
  const linker = new Linker()
  const plain = linker.clauses(wellFormed.filter(({ stack }) => !stack))
  const stacked = linker.clauses(wellFormed.filter(({ stack }) => stack))
  return {
    clauses: clauses.map(({ index, role, stack, when, faults }) => {
      return { index, role, stack, when, fault: faults[0] ?? null }
    }),
    paths,
    unread: linker.paths.unread,
    plain,
    stacked,
    roleNames: new Set(wellFormed.flatMap(({ role }) => role ?? [])),
    fault,
  }
}

class Linker {
  readonly paths = new Paths()

  clauses(clauses: readonly ParsedClause[]): Next {
    return rowsOf(clauses).reduceRight((rest: Next, row) => this.#row(row, rest), null)
  }

  #row({ path, clauses }: Row, rest: Next): Next {
    if (path === null || clauses.length === 1) {
      return clauses.reduceRight((next: Next, { role, when }) => this.#clause(role!, when.nodes, next), rest)
    }
    const cases = new Map<Json | undefined, Next>()
    for (const { role, when } of clauses.toReversed()) {
      const [first, ...others] = when.nodes
      const value = operandOf((first as Test).expected) as Json
      cases.set(value, this.#clause(role!, others, cases.get(value) ?? rest))
    }
    return made<Fork>({ kind: 'fork', path: this.paths.of(path), cases, otherwise: rest })
  }

  #clause(role: RoleName, when: readonly Node[], rest: Next): Next {
    return this.#node({ kind: 'and', nodes: when }, made<Match>({ kind: 'match', role, rest }), rest)
  }

  /** @returns the first test of a node; for a node without tests, the step that it leads to */
  #node(node: Node, met: Next, unmet: Next): Next {
    switch (node.kind) {
      case 'test': {
        const { operator, path } = node
        const expected = operandOf(node.expected)
        return made<Step>({ kind: 'step', path: this.paths.of(path), operator, expected, met, unmet })
      }
      case 'not':
        return this.#node(node.nodes[0]!, unmet, met)
      case 'and':
        return node.nodes.reduceRight((next: Next, part) => this.#node(part, next, unmet), met)
      case 'or':
        return node.nodes.reduceRight((next: Next, part) => this.#node(part, met, next), unmet)
    }
  }
}

/** Neighbouring clauses whose first test is an equality on this path; null: they begin otherwise. */
interface Row {
  readonly path: string | null
  readonly clauses: ParsedClause[]
}

function rowsOf(clauses: readonly ParsedClause[]): Row[] {
  const rows: Row[] = []
  for (const clause of clauses) {
    const [first] = clause.when.nodes
    const path = first?.kind === 'test' && first.operator === 'eq' ? first.path : null
    const row = rows.at(-1)
    if (row !== undefined && row.path === path) row.clauses.push(clause)
    else rows.push({ path, clauses: [clause] })
  }
  return rows
}

/**
 * Sorted distinct dotted paths that a flow reads; malformed clauses read nothing. Changes at these paths wake
 * the being.
 */
export function flowPaths(flow: unknown): readonly string[] {
  return compileFlow(flow).paths
}

/** Sorted distinct roles that a flow's well-formed clauses name, stacked ones included. */
export function flowRoles(flow: unknown): readonly RoleName[] {
  return [...compileFlow(flow).roleNames].sort()
}
