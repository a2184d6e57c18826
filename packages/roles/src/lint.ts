import { guardJson, LIMITS, NotPlainJsonError, TreeosError, utf8Length } from '@treeos/core'
import { KNOWN_FIELDS } from './context.ts'
import { needsOf, type RoleTable } from './evaluate.ts'
import { type Fault, fromJsonPath, show } from './fault.ts'
import { type Node, type ParsedClause, parseFlow } from './parse-flow.ts'
import { isLong } from './reading.ts'
import type { RoleFlow } from './when.ts'

export interface Lint {
  /** what is refused when written; met at run time, its clause never matches */
  readonly errors: readonly Fault[]
  /** what is taken, but hardly meant */
  readonly warnings: readonly Fault[]
}

/** Faults carried by one refusal; `lintFlow` lists them all. */
const REPORTED_MAX = 32
/** Depth and size of a flow are told in its own words. */
const UNBOUNDED = { depthMax: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY }

/**
 * Checks a flow as it is written. Never throws.
 * @param roles when given, clauses of unregistered roles are warned of, and reachability respects required cognitions
 */
export function lintFlow(flow: unknown, { roles }: { readonly roles?: RoleTable } = {}): Lint {
  const { clauses, fault } = parseFlow(flow)
  if (fault !== null) return { errors: [fault], warnings: [] }
  const errors = clauses.flatMap(({ faults }) => faults)
  const wellFormed = clauses.filter(({ faults }) => faults.length === 0)
  return {
    errors: errors.length > 0 ? errors : wholeFaults(flow, clauses),
    warnings: [
      ...wellFormed.flatMap((clause) => conditionWarnings(clause)),
      ...(roles === undefined ? [] : unknownRoles(wellFormed, roles)),
      ...unreachable(wellFormed, roles),
    ].sort((a, b) => clauseIndex(a) - clauseIndex(b)),
  }
}

/**
 * Guards every write of a flow.
 * @returns the flow itself
 * @throws {TreeosError} INVALID_INPUT with `detail.errors`, the first of them in the message
 */
export function requireFlow(flow: unknown): RoleFlow {
  const { errors } = lintFlow(flow)
  const first = errors[0]
  if (first === undefined) return flow as RoleFlow
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  throw new TreeosError('INVALID_INPUT', `flow${first.path}: ${first.message}${more}`, {
    errors: errors.slice(0, REPORTED_MAX).map(({ path, message }) => ({ path, message })),
  })
}

/** Bounds of a flow whose every clause is well formed, and what JSON itself refuses: NUL, lone surrogates, -0. */
function wholeFaults(flow: unknown, clauses: readonly ParsedClause[]): Fault[] {
  const faults: Fault[] = []
  const paths = new Set(clauses.flatMap((clause) => clause.paths)).size
  if (paths > LIMITS.flowPathsMax) {
    faults.push({ path: '', message: `a flow reads at most ${LIMITS.flowPathsMax} paths, this one ${paths}` })
  }
  try {
    const bytes = utf8Length(guardJson(flow, UNBOUNDED))
    if (bytes > LIMITS.flowBytesMax) {
      faults.push({ path: '', message: `a flow has at most ${LIMITS.flowBytesMax} bytes, this one ${bytes}` })
    }
  } catch (error) {
    if (!(error instanceof NotPlainJsonError)) throw error
    faults.push({ path: fromJsonPath(error.path), message: error.reason })
  }
  return faults
}

function conditionWarnings({ index, when, paths }: ParsedClause): Fault[] {
  const at = `[${index}].when`
  const warnings: Fault[] = []
  for (const path of new Set(paths)) {
    const [root, field] = path.split('.', 2)
    const fields = KNOWN_FIELDS.get(root!)
    if (fields == null || field === undefined || fields.includes(field)) continue
    const known = fields.length === 0 ? `${root} is a plain value` : `${root} has ${fields.join(', ')}`
    warnings.push({ path: at, message: `nothing is ever found at ${path}; ${known}` })
  }
  for (const { path, expected } of testsIn(when)) {
    const values = Array.isArray(expected) ? expected : [expected]
    if (!values.some((value) => typeof value === 'string' && isLong(value))) continue
    const message = `${path} is compared with a string over ${LIMITS.comparableBytesMax} bytes, which equals nothing`
    warnings.push({ path: at, message })
  }
  return warnings
}

function testsIn(node: Node): Extract<Node, { kind: 'test' }>[] {
  return node.kind === 'test' ? [node] : node.nodes.flatMap(testsIn)
}

function unknownRoles(clauses: readonly ParsedClause[], roles: RoleTable): Fault[] {
  return clauses
    .filter(({ role }) => needsOf(role!, roles) === undefined)
    .map(({ index, role }) => ({
      path: `[${index}].role`,
      message: `role ${show(role)} is not registered; its clause is skipped until it is`,
    }))
}

/** A plain clause behind one that always wins. One that needs a cognition, or is not registered, may be passed by. */
function unreachable(clauses: readonly ParsedClause[], roles: RoleTable | undefined): Fault[] {
  const plain = clauses.filter(({ stack }) => !stack)
  const winner = plain.find(({ role, when }) => {
    if (constantOf(when) !== true) return false
    if (roles === undefined) return true
    const needs = needsOf(role!, roles)
    return needs !== undefined && needs.requiredCognition == null
  })
  if (winner === undefined) return []
  return plain
    .filter(({ index }) => index > winner.index)
    .map(({ index }) => ({
      path: `[${index}]`,
      message: `never reached: clause ${winner.index} has no condition and comes before`,
    }))
}

/** What a condition comes to in every context; undefined when it depends. */
function constantOf(node: Node): boolean | undefined {
  if (node.kind === 'test') return undefined
  const parts = node.nodes.map(constantOf)
  if (node.kind === 'not') return parts[0] === undefined ? undefined : !parts[0]
  const decisive = node.kind === 'or'
  if (parts.includes(decisive)) return decisive
  return parts.includes(undefined) ? undefined : !decisive
}

const clauseIndex = ({ path }: Fault): number => Number.parseInt(path.slice(1), 10)
