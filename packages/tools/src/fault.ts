import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { messageOfThrown, TreeosError } from '@treeos/core'
import { whyPastProxy } from '@treeos/egress'

/** Answers of a server that did not take the call. */
const REFUSALS: readonly number[] = [
  ProtocolErrorCode.InvalidParams,
  ProtocolErrorCode.InvalidRequest,
  ProtocolErrorCode.MethodNotFound,
  ProtocolErrorCode.ParseError,
]

export const isOutOfTime = (error: unknown): boolean =>
  error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout

/** The connection is of no use any more. What a session with it answers 400, a new one may take. */
export const isGone = (error: unknown, hasSession: boolean): boolean =>
  (error instanceof SdkError &&
    [SdkErrorCode.ConnectionClosed, SdkErrorCode.NotConnected, SdkErrorCode.SendFailed].includes(
      error.code,
    )) ||
  httpStatusOf(error) === 404 ||
  (httpStatusOf(error) === 400 && hasSession) ||
  error instanceof TypeError // of fetch: no connection

/**
 * What a server that forgot a session answers. The protocol asks for 404; many answer 400, as for a session
 * that was never there. A server that has no session of ours says with 404 that its address is another one.
 */
export function isForgotten(error: unknown, hasSession: boolean): boolean {
  const status = httpStatusOf(error)
  if (!hasSession || !(error instanceof SdkHttpError)) return false
  return status === 404 || (status === 400 && /session/i.test(error.message))
}

/**
 * The error of a call that failed. One that says that the tool was not called is final. Of any other the call
 * may have been done, so it is made again only where the tool says that this changes nothing more.
 */
export function toolFault(named: string, error: unknown, isLate: boolean): Error {
  if (isLate) return new DOMException(`${named} did not answer in time`, 'TimeoutError')
  const told = messageOfThrown(error)
  if (error instanceof ProtocolError && REFUSALS.includes(error.code))
    return new TreeosError('INVALID_INPUT', `${named} refuses: ${told}`)
  const status = httpStatusOf(error)
  if (error instanceof UnauthorizedError || status === 401 || status === 403)
    return new TreeosError(
      'FORBIDDEN',
      `${named} was not called: its server takes no such credential (${told})`,
    )
  if (isUnreached(error)) {
    const rule = whyPastProxy(error)
    return new TreeosError(
      'SERVICE_UNAVAILABLE',
      `${named} was not called: nothing answers at its address${rule === null ? '' : `: ${rule}`}`,
    )
  }
  return error instanceof Error ? error : new Error(told)
}

function httpStatusOf(error: unknown): number | null {
  return error instanceof SdkHttpError ? error.status : null
}

/** Nothing listens at the address, or it has none: so nothing was sent. */
function isUnreached(error: unknown): boolean {
  const code = error instanceof Error ? (error.cause as { code?: unknown } | undefined)?.code : undefined
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND'
}
