/**
 * SQLSTATE: lost connections (08), a server without room (53) or on its way up or down (57P), a statement that waited too
 * long (57014, 55P03), a clash of transactions (40001, 40P01).
 */
const STATES = /^(08...|53...|57P0[1235]|57014|55P03|40001|40P01)$/
const SYSTEM_CODES = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND', // of a container that is not up yet there is no name either
  'EPIPE',
  'ETIMEDOUT',
])
/** What `pg` says without a code. */
const MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/

/** True when Postgres, or the way to it, is at fault and not the question: the same one may succeed a moment later. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  return STATES.test(code) || SYSTEM_CODES.has(code) || MESSAGES.test(error.message)
}

/** A name that stands for several addresses fails with an error for each, and all together. */
function codeOf(error: Error): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  const { code } = (first ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}
