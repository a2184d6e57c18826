import type { Json, RoleName } from '@treeos/core'
import type { Operator, Test } from './condition.ts'
import type { Fault } from './fault.ts'
import { type Group, type Node, type ParsedClause, parseFlow } from './parse-flow.ts'
import { type PathTable, tableOf } from './reading.ts'
import type { Scalar } from './when.ts'

export interface CompiledClause {
  readonly index: number
  /** as written; null when it is no string */
  readonly role: RoleName | null
  readonly stack: boolean
  readonly when: Group
  /** the first reason why the clause can never match; null when it is well formed */
  readonly fault: Fault | null
}

/** A flow made ready once, by digest, for any number of moments. Holds no reference to its source. */
export interface CompiledFlow {
  readonly clauses: readonly CompiledClause[]
  /** sorted distinct dotted paths that well-formed clauses read */
  readonly paths: readonly string[]
  /** of those paths, in that order */
  readonly table: PathTable
  /** where the tests of the plain clauses begin, and those of the stacked ones; of well-formed clauses only */
  readonly plain: Next
  readonly stacked: Next
  /** every role that a well-formed clause names */
  readonly roleNames: ReadonlySet<RoleName>
  /** set when the flow is no array; it then has no clauses */
  readonly fault: Fault | null
}

/**
 * What an evaluation comes to next; null when nothing is left. Clauses are tests that lead to tests: `and`, `or` and
 * `not` are in where a result leads, and so is that one clause comes after another. No test is come to twice.
 */
export type Next = Step | Fork | Match | null

export interface Step {
  readonly kind: 'step'
  /** its index in the table */
  readonly path: number
  readonly operator: Operator
  readonly expected: Scalar | readonly Scalar[]
  readonly met: Next
  readonly unmet: Next
}

/** Clauses in a row that begin by asking what one path equals: at most one value does, so one look tells them apart. */
export interface Fork {
  readonly kind: 'fork'
  readonly path: number
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

const known = new WeakMap<object, CompiledFlow>()

/**
 * Makes a flow ready to evaluate. Never throws: a clause with anything malformed in it, even under `not` or in a
 * branch that would not be reached, is kept with its reason and never matches.
 * @param flow anything; what is no array has no clauses, so that the default role is all there is. An array is compiled
 *   once, so whoever edits a flow makes another one
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
  const linker = new Linker(paths)
  return {
    clauses: clauses.map(({ index, role, stack, when, faults }) => {
      return { index, role, stack, when, fault: faults[0] ?? null }
    }),
    paths,
    table: tableOf(paths),
    plain: linker.clauses(wellFormed.filter(({ stack }) => !stack)),
    stacked: linker.clauses(wellFormed.filter(({ stack }) => stack)),
    roleNames: new Set(wellFormed.flatMap(({ role }) => role ?? [])),
    fault,
  }
}

class Linker {
  readonly #indexes: ReadonlyMap<string, number>

  constructor(paths: readonly string[]) {
    this.#indexes = new Map(paths.map((path, index) => [path, index]))
  }

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
      const value = (first as Test).expected as Scalar
      cases.set(value, this.#clause(role!, others, cases.get(value) ?? rest))
    }
    return { kind: 'fork', path: this.#indexes.get(path)!, cases, otherwise: rest }
  }

  #clause(role: RoleName, when: readonly Node[], rest: Next): Next {
    return this.#node({ kind: 'and', nodes: when }, { kind: 'match', role, rest }, rest)
  }

  /** @returns where the tests of a node begin: at once where they lead, when it has none */
  #node(node: Node, met: Next, unmet: Next): Next {
    switch (node.kind) {
      case 'test': {
        const { operator, expected } = node
        return { kind: 'step', path: this.#indexes.get(node.path)!, operator, expected, met, unmet }
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

/** Clauses next to each other whose first test is what this path equals; null: they begin otherwise. */
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

/** Sorted distinct dotted paths that a flow reads; malformed clauses read nothing. What a being is woken by. */
export function flowPaths(flow: unknown): readonly string[] {
  return compileFlow(flow).paths
}

/** Sorted distinct roles that a flow's well-formed clauses name, stacked ones included. */
export function flowRoles(flow: unknown): readonly RoleName[] {
  return [...compileFlow(flow).roleNames].sort()
}
