/**
 * What an error of Postgres means for the statement that met it:
 * - `transient`: Postgres or the connection failed. The same statement may succeed a moment later.
 * - `refused`: a guard of the record refused what was written, by rows that it read. One who reads them anew
 *   may decide otherwise.
 * - `unstorable`: no row can hold it. The same statement never succeeds.
 * - `misaddressed`: what answers does not take how we connect. An operator changes the URL.
 */
type ErrorProspect = 'transient' | 'refused' | 'unstorable' | 'misaddressed'

/** What PgBouncer says of settings at the start of a connection, which it does not pass on to Postgres. */
export const UNSUPPORTED_STARTUP = /^unsupported startup parameter/

/**
 * By SQLSTATE; the first row that matches counts. A state that is in no row is an error of the code, or one
 * that an operator mends while the statement is tried again: a missing right, table or database, a wrong
 * password, a broken disk.
 */
const STATES: readonly (readonly [state: RegExp, prospect: ErrorProspect, message?: RegExp])[] = [
  [/^08P01$/, 'misaddressed', UNSUPPORTED_STARTUP], // a pooler; all else that it says by 08P01 may pass
  [/^08/, 'transient'], // the connection was lost
  // it became a standby at a failover; the next connection may reach the new primary
  [/^25006$/, 'transient'],
  [/^53/, 'transient'], // the server is full
  [/^57P0[1235]$/, 'transient'], // the server starts or stops
  [/^(57014|55P03)$/, 'transient'], // the statement waited too long
  [/^(40001|40P01)$/, 'transient'], // transactions in conflict
  [/^42501$/, 'refused', /^refused: /], // a guard of ours; a missing right of a login has another message
  [/^22/, 'unstorable'], // a value that its type cannot hold
  [/^54/, 'unstorable'], // a value or a key that is too large
  // a row that a constraint refuses; not 23505, since the other row may go
  [/^23(502|503|514)$/, 'unstorable'],
  [/^TR00[12]$/, 'unstorable'], // a change of the past, or what does not follow from it
]

const SYSTEM_CODES = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND', // a container that is not up yet has no name either
  'EPIPE',
  'ETIMEDOUT',
])
/** Messages of `pg` that come without a code. */
const MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/

/**
 * Whether Postgres or the connection failed, rather than the query: the same query may succeed a moment
 * later.
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = sqlstateOf(error)
  return (
    prospectOf(error, code) === 'transient' ||
    SYSTEM_CODES.has(code) ||
    isMissingSocket(error) ||
    MESSAGES.test(error.message)
  )
}

/** A Postgres that stopped takes its socket's file away. */
const isMissingSocket = (error: Error): boolean => {
  const { code, syscall } = error as NodeJS.ErrnoException
  return code === 'ENOENT' && syscall === 'connect'
}

/** Why Postgres does not take what a statement writes. */
export interface RecordRefusal {
  readonly prospect: 'refused' | 'unstorable'
  /**
   * what a guard refused: names and no contents; of all else the SQLSTATE alone, since its message may quote
   * a row
   */
  readonly what: string
}

/** @returns null for an error after which the same statement may succeed */
export function recordRefusalOf(error: unknown): RecordRefusal | null {
  if (!(error instanceof Error)) return null
  const code = sqlstateOf(error)
  const prospect = prospectOf(error, code)
  if (prospect === 'refused') return { prospect, what: error.message.replace(/^refused: /, '') }
  return prospect === 'unstorable' ? { prospect, what: `SQLSTATE ${code}` } : null
}

const prospectOf = ({ message }: Error, code: string): ErrorProspect | undefined =>
  STATES.find(([state, , text]) => state.test(code) && (text === undefined || text.test(message)))?.[1]

/** A host name with several addresses fails with one AggregateError over an error for each address. */
function sqlstateOf(error: Error): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const { code } = (first ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}
