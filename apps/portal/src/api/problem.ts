import { ERROR_STATUS, type ErrorCode, TreeosError } from '@treeos/core'
import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'

const MEDIA_TYPE = 'application/problem+json'

/** Problem details (RFC 9457): `detail` says what is wrong in words, `code` is ours, and `context` holds the particulars. */
export const problemOf = ({ code, message, detail }: TreeosError) => ({
  type: `urn:treeos:problem:${code.toLowerCase().replaceAll('_', '-')}`,
  title: titleOf(code),
  status: ERROR_STATUS[code],
  detail: message,
  code,
  ...(detail === undefined ? {} : { context: detail }),
})

/** Answers with problem details. */
export function answerProblem(c: Context, refusal: TreeosError): Response {
  const problem = problemOf(refusal)
  const headers = { 'content-type': MEDIA_TYPE, ...headersOfRefusal(refusal) }
  return c.body(JSON.stringify(problem), problem.status, headers)
}

/** A request that the router itself could not read. */
export const unreadable = (error: unknown): TreeosError | null =>
  error instanceof HTTPException && error.status < 500
    ? new TreeosError('INVALID_INPUT', error.message || 'the request cannot be read')
    : null

function titleOf(code: ErrorCode): string {
  const words = code.toLowerCase().replaceAll('_', ' ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** How to go on, for programs: which credential is asked for, and how long to wait. */
export function headersOfRefusal({ code, detail }: TreeosError): Record<string, string> {
  if (code === 'UNAUTHORIZED') return { 'www-authenticate': 'Bearer realm="treeos"' }
  if (code !== 'RATE_LIMITED' && code !== 'SERVICE_UNAVAILABLE') return {}
  const seconds = (detail as { seconds?: unknown } | undefined)?.seconds
  return { 'retry-after': String(typeof seconds === 'number' ? seconds : 1) }
}
