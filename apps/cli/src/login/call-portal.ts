import type { Treeos } from '@treeos/client-http'
import { isErrorCode, type Json, TreeosError } from '@treeos/core'
import { messageOf, unavailable } from '../text/failure.ts'
import type { Login } from './stored-login.ts'
import { elsewhereAs } from './who-acts.ts'

/**
 * Asks a portal as somebody who is logged in.
 * @throws {TreeosError} the refusal of the portal; SERVICE_UNAVAILABLE where it does not answer
 */
export async function callPortal<T>(
  { url, token, as }: Pick<Login, 'url' | 'token' | 'as'>,
  ask: (treeos: Treeos) => Promise<T>,
): Promise<T> {
  const { Problem, Treeos } = await import('@treeos/client-http')
  try {
    return await ask(new Treeos({ url, token, ...(as === undefined ? {} : { as }) }))
  } catch (error) {
    if (error instanceof Problem) throw refusalIn(error, url, as)
    if (error instanceof SyntaxError) throw noPortal(url)
    if (error instanceof TypeError)
      throw unavailable(`the portal at ${url} does not answer: ${whyAway(error)}`)
    throw error
  }
}

/** What `fetch` says of a lost connection is in its cause. */
const whyAway = (error: TypeError): string => messageOf(error.cause ?? error)

const noPortal = (url: string) => unavailable(`no portal of TreeOS is at ${url}`)

interface PortalProblem {
  readonly code: string
  readonly message: string
  readonly status: number
  readonly context: unknown
}

function refusalIn(
  { code, message, status, context }: PortalProblem,
  url: string,
  as: string | undefined,
): TreeosError {
  const detail = context === undefined ? undefined : (context as Json)
  if (status === 404 && code === 'INTERNAL') return noPortal(url)
  if (!isErrorCode(code)) return new TreeosError('INTERNAL', message, detail)
  if (as !== undefined && code === 'FORBIDDEN')
    return new TreeosError(code, `${message}. ${elsewhereAs(as, url)}`, detail)
  const again = code === 'UNAUTHORIZED' ? `; \`treeos login ${url}\` logs in again` : ''
  return new TreeosError(code, message + again, detail)
}
