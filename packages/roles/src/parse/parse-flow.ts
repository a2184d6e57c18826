import { isJsonObject, isRoleName, LIMITS } from '@treeos/core'
import { ROOTS, type Scalar } from '../shape/when.ts'
import { isOperator, isScalar, OPERATORS, operandFault, type Test } from './condition.ts'
import { type ParseFault, show, under } from './fault.ts'

/** An empty `and` holds, an empty `or` does not; `not` has exactly one node. */
export interface Group {
  readonly kind: 'and' | 'or' | 'not'
  readonly nodes: readonly Node[]
}
export type Node = Group | Test

/** One parsed clause. Lint, compile, explain and the path list all start from it, so that they agree. */
export interface ParsedClause {
  readonly index: number
  /** as written, valid or not; null when it is not a string */
  readonly role: string | null
  readonly stack: boolean
  readonly when: Group
  /** paths that its conditions read, with repetitions */
  readonly paths: readonly string[]
  /** a clause with any fault never matches */
  readonly faults: readonly ParseFault[]
}

const CLAUSE_KEYS = new Set(['when', 'role', 'stack'])
const KNOWN_ROOTS = new Set<string>(ROOTS)

/**
 * Parses any value as a flow; never throws. A value that is not an array has no clauses, and one fault at the
 * empty path.
 */
export function parseFlow(flow: unknown): {
  readonly clauses: readonly ParsedClause[]
  readonly fault: ParseFault | null
} {
  if (!Array.isArray(flow)) {
    return { clauses: [], fault: { path: '', message: `a flow is an array of clauses, not ${show(flow)}` } }
  }
  // By index: map would skip holes, and an array may have its own iterator.
  const clauses = Array.from({ length: flow.length }, (_, index) => new ClauseReader(index).read(flow[index]))
  return { clauses, fault: null }
}

class ClauseReader {
  readonly #index: number
  readonly #faults: ParseFault[] = []
  readonly #paths: string[] = []
  #nodes = 0

  constructor(index: number) {
    this.#index = index
  }

  read(clause: unknown): ParsedClause {
    const at = `[${this.#index}]`
    if (!isJsonObject(clause)) {
      this.#fault(at, `a clause is an object {when?, role, stack?}, not ${show(clause)}`)
      return this.#clause(null, false, ALWAYS)
    }
    for (const key of Object.keys(clause)) {
      if (!CLAUSE_KEYS.has(key))
        this.#fault(under(at, key), 'unknown field; a clause has when, role and stack')
    }
    const role: unknown = Object.hasOwn(clause, 'role') ? clause.role : undefined
    if (!isRoleName(role)) {
      this.#fault(
        `${at}.role`,
        `${show(role)} is not a role name: kebab-case, as in night-guard or court:judge`,
      )
    }
    const stack: unknown = Object.hasOwn(clause, 'stack') ? clause.stack : false
    if (typeof stack !== 'boolean') this.#fault(`${at}.stack`, `stack is true or false, not ${show(stack)}`)
    const when = Object.hasOwn(clause, 'when') ? this.#when(clause.when, `${at}.when`, 1) : ALWAYS
    return this.#clause(typeof role === 'string' ? role : null, stack === true, when)
  }

  #when(when: unknown, at: string, depth: number): Group {
    if (!isJsonObject(when)) {
      this.#fault(at, `a condition is an object of paths, and, or, not; not ${show(when)}`)
      return ALWAYS
    }
    if (depth > LIMITS.whenDepthMax) {
      this.#fault(at, `conditions nest deeper than ${LIMITS.whenDepthMax}`)
      return ALWAYS
    }
    const nodes: Node[] = []
    const keys = Object.keys(when)
    if (keys.length === 0) this.#hasRoom(at)
    for (const key of keys) {
      if (!this.#hasRoom(at)) break
      const value: unknown = when[key]
      const below = under(at, key)
      if (key === 'and' || key === 'or') nodes.push(this.#branches(key, value, below, depth))
      else if (key === 'not') nodes.push({ kind: 'not', nodes: [this.#when(value, below, depth + 1)] })
      else this.#condition(key, value, below, nodes)
    }
    return { kind: 'and', nodes }
  }

  #branches(kind: 'and' | 'or', branches: unknown, at: string, depth: number): Group {
    if (!Array.isArray(branches)) {
      this.#fault(at, `${kind} takes an array of conditions, not ${show(branches)}`)
      return ALWAYS
    }
    const nodes: Node[] = []
    for (let i = 0; i < branches.length && this.#nodes <= LIMITS.whenNodesMax; i++) {
      nodes.push(this.#when(branches[i], `${at}[${i}]`, depth + 1))
    }
    return { kind, nodes }
  }

  #condition(path: string, condition: unknown, at: string, nodes: Node[]): void {
    const keys = path.split('.')
    this.#paths.push(path)
    if (!KNOWN_ROOTS.has(keys[0]!)) {
      this.#fault(at, `no path begins with ${show(keys[0])}; one of ${ROOTS.join(', ')} does`)
    } else if (keys.includes('')) {
      this.#fault(at, `path ${show(path)} has an empty part; write it like world.court.in-session`)
    }
    const add = (operator: Test['operator'], operand: unknown, where: string) => {
      const fault = operandFault(operator, operand)
      if (fault !== null) this.#fault(where + fault.at, fault.message)
      else
        nodes.push(
          this.#node({ kind: 'test', path, keys, operator, expected: frozen(operand as Test['expected']) }),
        )
    }
    if (Array.isArray(condition)) add('in', condition, at)
    else if (!isJsonObject(condition)) add('eq', condition, at)
    else {
      for (const key of Object.keys(condition)) {
        if (isOperator(key)) add(key, condition[key], under(at, key))
        else this.#fault(under(at, key), unknownOperator(path, key))
      }
    }
  }

  /** Every person wears `human` beside its role, so a test for that role also asks who decides for the caller. */
  #node(test: Test): Node {
    const { path, operator, expected } = test
    if (
      path !== 'caller.role' ||
      !(expected === HUMAN || (Array.isArray(expected) && expected.includes(HUMAN)))
    )
      return test
    const isNegative = operator === 'ne' || operator === 'notIn'
    this.#paths.push(COGNITION)
    const decides: Test = {
      ...{ kind: 'test', path: COGNITION, keys: COGNITION.split('.') },
      ...{ operator: isNegative ? 'ne' : 'eq', expected: HUMAN },
    }
    return { kind: isNegative ? 'and' : 'or', nodes: [test, decides] }
  }

  /** Counts a node: every key of a condition object, and an empty object. */
  #hasRoom(at: string): boolean {
    this.#nodes += 1
    if (this.#nodes === LIMITS.whenNodesMax + 1) {
      this.#fault(at, `a when has more than ${LIMITS.whenNodesMax} conditions`)
    }
    return this.#nodes <= LIMITS.whenNodesMax
  }

  #fault(path: string, message: string): void {
    this.#faults.push({ path, message })
  }

  #clause(role: string | null, stack: boolean, when: Group): ParsedClause {
    return { index: this.#index, role, stack, when, paths: this.#paths, faults: this.#faults }
  }
}

const HUMAN = 'human'
const COGNITION = 'caller.cognition'
const ALWAYS: Group = { kind: 'and', nodes: [] }

/** Copies the flow, so that edits of the source do not change a compiled flow. */
function frozen(operand: Test['expected']): Scalar | readonly Scalar[] {
  return isScalar(operand) ? operand : Object.freeze([...operand])
}

function unknownOperator(path: string, key: string): string {
  const operators = `known operators: ${OPERATORS.join(', ')}`
  return `unknown operator ${show(key)}; for a nested field write the dotted path "${path}.${key}"; ${operators}`
}
