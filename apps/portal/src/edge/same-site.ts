import { mendedBy, quote, TreeosError } from '@treeos/core'

/** A proxy may write the port that the scheme of the page has anyway, and leave out the dot of a full name. */
function isOf(origin: string, host: string): boolean {
  const page = URL.parse(origin.replace(/\.(?=(:\d+)?$)/, ''))
  return page !== null && page.host === URL.parse(`${page.protocol}//${host}`)?.host
}

/** The header in which the page sends its half of the session. No form can send it. */
export const KEY_HEADER = 'x-treeos-key'
const SAFE = new Set(['GET', 'HEAD'])

/**
 * Refuses what a page of another origin made a browser send, as MCP asks of its servers.
 * @throws {TreeosError} FORBIDDEN
 */
export function requireOwnOrigin({ headers }: Request, host: string): void {
  const origin = headers.get('origin')
  if (origin !== null && !isOf(origin, host))
    throw new TreeosError('FORBIDDEN', `the request comes from ${quote(origin)}, not from this portal`)
}

/**
 * Refuses what a page of another site, or of another port of this machine, made a browser send. A request
 * that changes something names its origin and brings JSON, which no form can send, or a file with the half of
 * the session that the page has.
 * @param bringsFile whether the route takes a file, of any type
 * @param mayBeProgram true where the route also takes a token and the request has no session: then there is no
 *   session to protect, and the error asks for a token
 * @throws {TreeosError} FORBIDDEN or UNAUTHORIZED
 */
export function requireOwnPage(
  request: Request,
  host: string,
  { bringsFile = false, mayBeProgram = false }: { bringsFile?: boolean; mayBeProgram?: boolean } = {},
): void {
  const { method, headers } = request
  const site = headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin')
    throw new TreeosError('FORBIDDEN', `the request comes from another site (${quote(site)})`)
  requireOwnOrigin(request, host)
  if (SAFE.has(method)) return
  if (headers.get('origin') === null && mayBeProgram) throw tokenMissing()
  if (headers.get('origin') === null)
    throw new TreeosError('FORBIDDEN', 'a request that changes something has to name its origin')
  if (bringsFile && headers.has(KEY_HEADER)) return
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new TreeosError('FORBIDDEN', 'a request that changes something has to bring application/json')
}

/** Of a request that neither a session nor a token opens. */
export const tokenMissing = (): TreeosError =>
  new TreeosError(
    'UNAUTHORIZED',
    'sign in first, or send `Authorization: Bearer SECRET`',
    mendedBy({ name: 'make-token' }),
  )
