import { didYouMean, guardJson, LIMITS, NotPlainJsonError, TreeosError, utf8Length } from '@treeos/core'
import { KNOWN_FIELDS } from '../evaluate/context.ts'
import { isLong } from '../evaluate/context-values.ts'
import { needsOf, type RoleTable } from '../evaluate/evaluate.ts'
import { fromJsonPath, type ParseFault, show } from '../parse/fault.ts'
import { type ParsedClause, parseFlow } from '../parse/parse-flow.ts'
import type { RoleFlow } from '../shape/when.ts'
import { type Claim, type Goal, Possibilities, testsIn } from './possible.ts'

export interface Lint {
  /** faults: a write with one is refused, and a stored clause with one never applies */
  readonly errors: readonly ParseFault[]
  /** valid, but probably a mistake */
  readonly warnings: readonly ParseFault[]
}

/** More do not fit into `flowBytesMax`. */
const CLAUSES_MAX = LIMITS.flowBytesMax / '{"role":"a"},'.length
/** Faults in the detail of one error; `lintFlow` lists all. */
const REPORTED_MAX = 32
/** Looser bounds: depth and size of a flow have errors of their own. */
const UNBOUNDED = { depthMax: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY }

export interface LintOptions {
  /** when given, an unregistered role is an error, and reachability respects required cognitions */
  readonly roles?: RoleTable
  /**
   * when given, the signals that are published or that an extension declares: dotted paths such as
   * `world.court.in-session`, or shorter ones for all below, such as `world.court`
   */
  readonly published?: readonly string[]
}

/** Checks a flow when it is written. Never throws. A warning that something never happens is certain. */
export function lintFlow(flow: unknown, { roles, published }: LintOptions = {}): Lint {
  const { clauses, errors } = check(flow)
  const wellFormed = clauses.filter(({ faults }) => faults.length === 0)
  return {
    errors: [...errors, ...(roles === undefined ? [] : unregisteredRoles(wellFormed, roles))],
    warnings: [
      ...wellFormed.flatMap((clause) => conditionWarnings(clause)),
      ...(published === undefined ? [] : wellFormed.flatMap((clause) => unpublished(clause, published))),
      ...neverTaken(wellFormed, roles),
      ...faultsOfCareful(wellFormed),
    ].sort((a, b) => clauseIndex(a) - clauseIndex(b)),
  }
}

function check(flow: unknown): { clauses: readonly ParsedClause[]; errors: ParseFault[] } {
  const tooLarge = sizeFault(flow) // first: to parse and to evaluate takes far longer than to count
  if (tooLarge !== null) return { clauses: [], errors: [tooLarge] }
  const { clauses, fault } = parseFlow(flow)
  if (fault !== null) return { clauses, errors: [fault] }
  const errors = clauses.flatMap(({ faults }) => faults)
  return { clauses, errors: errors.length > 0 ? errors : wholeFaults(flow, clauses) }
}

/**
 * Checks a flow before a write.
 * @returns the flow itself
 * @throws {TreeosError} INVALID_INPUT with `detail.errors`, the first of them in the message
 */
export function requireFlow(flow: unknown): RoleFlow {
  const { errors } = check(flow)
  const first = errors[0]
  if (first === undefined) return flow as RoleFlow
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  throw new TreeosError('INVALID_INPUT', `flow${first.path}: ${first.message}${more}`, {
    errors: errors.slice(0, REPORTED_MAX).map(({ path, message }) => ({ path, message })),
  })
}

/** What is not JSON is told of where it stands, once the flow is parsed. */
function sizeFault(flow: unknown): ParseFault | null {
  try {
    const bytes = utf8Length(guardJson(flow, { ...UNBOUNDED, depthMax: LIMITS.contentDepthMax }))
    if (bytes <= LIMITS.flowBytesMax) return null
    return { path: '', message: `a flow has at most ${LIMITS.flowBytesMax} bytes, this one ${bytes}` }
  } catch (error) {
    if (error instanceof NotPlainJsonError) return null
    throw error
  }
}

/** Faults of a well-formed flow: its bounds, and values that JSON refuses (NUL, lone surrogates, -0). */
function wholeFaults(flow: unknown, clauses: readonly ParsedClause[]): ParseFault[] {
  const faults: ParseFault[] = []
  const paths = new Set(clauses.flatMap((clause) => clause.paths)).size
  if (paths > LIMITS.flowPathsMax) {
    faults.push({ path: '', message: `a flow reads at most ${LIMITS.flowPathsMax} paths, this one ${paths}` })
  }
  try {
    guardJson(flow, UNBOUNDED)
  } catch (error) {
    if (!(error instanceof NotPlainJsonError)) throw error
    faults.push({ path: fromJsonPath(error.path), message: error.reason })
  }
  return faults
}

function conditionWarnings({ index, when, paths }: ParsedClause): ParseFault[] {
  const at = `[${index}].when`
  const warnings: ParseFault[] = []
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

/**
 * Stacked clauses of a flow that is careful with words from outside, and that add their roles to the careful
 * one.
 */
function faultsOfCareful(clauses: readonly ParsedClause[]): ParseFault[] {
  const reads = ({ paths }: ParsedClause) => paths.includes('moment.outside')
  if (!clauses.some((clause) => !clause.stack && reads(clause))) return []
  return clauses
    .filter((clause) => clause.stack && !reads(clause))
    .map(({ index, role }) => ({
      path: `[${index}].when`,
      message: `${role} is added in moments with words from outside, too: say "moment.outside": false where it shall not be`,
    }))
}

/** Paths of signals at which nothing is published, neither above nor below. */
function unpublished({ index, paths }: ParsedClause, published: readonly string[]): ParseFault[] {
  const isWithin = (path: string, whole: string) => path === whole || path.startsWith(`${whole}.`)
  return [...new Set(paths)]
    .filter((path) => path.startsWith('world.'))
    .filter((path) => !published.some((known) => isWithin(path, known) || isWithin(known, path)))
    .map((path) => ({
      path: `[${index}].when`,
      message: `nobody publishes ${path}; the condition waits for someone to`,
    }))
}

/** A write is refused: what such a role would hold cannot be compared with the reach of the author. */
function unregisteredRoles(clauses: readonly ParsedClause[], roles: RoleTable): ParseFault[] {
  return clauses
    .filter(({ role }) => needsOf(role!, roles) === undefined)
    .map(({ index, role }) => ({
      path: `[${index}].role`,
      message: `role ${show(role)} is not registered${didYouMean(role!, namesIn(roles))}`,
    }))
}

const namesIn = (roles: RoleTable): Iterable<string> =>
  typeof roles.keys === 'function' ? (roles as ReadonlyMap<string, unknown>).keys() : Object.keys(roles)

/** Clauses that never apply: their condition cannot hold, or an earlier clause always applies first. */
function neverTaken(clauses: readonly ParsedClause[], roles: RoleTable | undefined): ParseFault[] {
  if (clauses.length > CLAUSES_MAX) return []
  const possibilities = new Possibilities(clauses.map(({ when }) => when))
  const warnings: ParseFault[] = []
  const possible: ParsedClause[] = []
  for (const clause of clauses) {
    const { index, when } = clause
    const contradiction = possibilities.contradiction([{ node: when, holds: true }])
    if (contradiction !== null) {
      const message = `it can never match: ${whyNever(contradiction)}`
      warnings.push({ path: `[${index}].when`, message })
      continue
    }
    const rivals = possible.filter((before) => replaces(before, clause, roles))
    const others = rivals.map((before): Goal => ({ node: before.when, holds: false }))
    if (possibilities.contradiction([{ node: when, holds: true }, ...others]) !== null) {
      warnings.push({ path: `[${index}]`, message: neverReached(clause, rivals, possibilities) })
    }
    possible.push(clause)
  }
  return warnings
}

/**
 * Whether an earlier clause, where it matches, always applies instead. If its role may not be worn, it does
 * not.
 */
function replaces(before: ParsedClause, clause: ParsedClause, roles: RoleTable | undefined): boolean {
  if (before.stack !== clause.stack) return false
  if (before.stack) return before.role === clause.role
  if (roles === undefined) return true
  const needs = needsOf(before.role!, roles)
  return needs !== undefined && needs.requiredCognition == null
}

function neverReached(clause: ParsedClause, rivals: readonly ParsedClause[], among: Possibilities): string {
  const isCertain = (...goals: Goal[]) => among.contradiction(goals) !== null
  const mine: Goal = { node: clause.when, holds: true }
  const rival = rivals.find(({ when }) => isCertain(mine, { node: when, holds: false }))
  if (!clause.stack && rival !== undefined && isCertain({ node: rival.when, holds: false })) {
    return `never reached: clause ${rival.index} always matches and comes before`
  }
  const before = rival === undefined ? 'one of the clauses before' : `clause ${rival.index}`
  if (clause.stack) return `never adds anything: whenever it matches, ${before} has stacked ${clause.role}`
  return `never reached: whenever it matches, so does ${before}`
}

function whyNever(claims: readonly Claim[]): string {
  const [first] = claims
  if (first === undefined) return 'no moment meets all of its conditions'
  const wanted = claims.map(
    ({ test, holds }) => `${holds ? '' : 'not '}${test.operator} ${JSON.stringify(test.expected)}`,
  )
  return `${first.test.path} is never ${[...new Set(wanted)].join(' and ')}`
}

const clauseIndex = ({ path }: ParseFault): number => Number.parseInt(path.slice(1), 10)
