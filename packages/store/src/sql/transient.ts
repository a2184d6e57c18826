/**
 * SQLSTATE of lost connections (08), of a server that is full (53), starting or stopping (57P), of a statement that waited
 * too long (57014, 55P03), and of transactions in conflict (40001, 40P01).
 */
const STATES = /^(08...|53...|57P0[1235]|57014|55P03|40001|40P01)$/
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

/** Whether Postgres or the connection failed, rather than the query: the same query may succeed a moment later. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  return STATES.test(code) || SYSTEM_CODES.has(code) || MESSAGES.test(error.message)
}

/** A host name with several addresses fails with one AggregateError over an error for each address. */
function codeOf(error: Error): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const { code } = (first ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}
