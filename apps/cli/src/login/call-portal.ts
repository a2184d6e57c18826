import type { Treeos } from '@treeos/client-http'
import { isErrorCode, type Json, TreeosError } from '@treeos/core'
import { messageOf, unavailable } from '../text/failure.ts'
import type { Login } from './stored-login.ts'

/**
 * Asks a portal as somebody who is logged in.
 * @throws {TreeosError} the refusal of the portal; SERVICE_UNAVAILABLE where it does not answer
 */
export async function callPortal<T>(
  { url, token }: Pick<Login, 'url' | 'token'>,
  ask: (treeos: Treeos) => Promise<T>,
): Promise<T> {
  const { Problem, Treeos } = await import('@treeos/client-http')
  try {
    return await ask(new Treeos({ url, token }))
  } catch (error) {
    if (error instanceof Problem) throw refusalIn(error, url)
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

function refusalIn({ code, message, status, context }: PortalProblem, url: string): TreeosError {
  const detail = context === undefined ? undefined : (context as Json)
  if (status === 404 && code === 'INTERNAL') return noPortal(url)
  if (!isErrorCode(code)) return new TreeosError('INTERNAL', message, detail)
  const again = code === 'UNAUTHORIZED' ? `; \`treeos login ${url}\` logs in again` : ''
  return new TreeosError(code, message + again, detail)
}
