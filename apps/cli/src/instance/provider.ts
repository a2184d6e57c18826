import { readFileSync } from 'node:fs'
import { quote, TreeosError, textOfBytes } from '@treeos/core'
import type { Provider } from '@treeos/portal'
import { messageOf } from '../text/failure.ts'

const PREFIX = 'TREEOS_PORTAL_OIDC_'
const KNOWN = ['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET', 'CLIENT_SECRET_FILE', 'NAME', 'SCOPE']
const SCOPE = 'openid email profile'

/**
 * The identity provider that the environment names; null where it names none. It is asked when somebody signs
 * in by it.
 * @throws {TreeosError} INVALID_INPUT for an issuer or a client that is missing or wrong, and a file that
 *   cannot be read
 */
export async function providerIn(env: NodeJS.ProcessEnv): Promise<Provider | null> {
  const of = (name: string) => env[`${PREFIX}${name}`] || undefined
  const issuer = of('ISSUER')
  const clientId = of('CLIENT_ID')
  if (issuer === undefined && KNOWN.every((name) => of(name) === undefined)) return null
  if (issuer === undefined || clientId === undefined)
    throw wrongProvider(`${PREFIX}ISSUER and ${PREFIX}CLIENT_ID belong together: set both, or neither`)
  const { isLoopbackUrl, Provider } = await import('@treeos/portal')
  const url = URL.parse(issuer)
  if (url === null || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackUrl(url))))
    throw wrongProvider(
      `${PREFIX}ISSUER is ${quote(issuer)}: it takes an address of https, or of http on this machine`,
    )
  const scope = of('SCOPE') ?? SCOPE
  if (!scope.split(' ').includes('openid'))
    throw wrongProvider(`${PREFIX}SCOPE is ${quote(scope)}, without openid`)
  return new Provider({
    issuer,
    clientId,
    clientSecret: secretIn(of),
    name: of('NAME') ?? url.hostname,
    scope,
  })
}

/** Null for a client without a secret: PKCE alone proves that it is the same one. */
function secretIn(of: (name: string) => string | undefined): string | null {
  const [text, file] = [of('CLIENT_SECRET'), of('CLIENT_SECRET_FILE')]
  if (text !== undefined && file !== undefined)
    throw wrongProvider(`${PREFIX}CLIENT_SECRET and ${PREFIX}CLIENT_SECRET_FILE are both set: keep one`)
  if (file === undefined) return text ?? null
  try {
    return textOfBytes(readFileSync(file)).trim()
  } catch (error) {
    throw wrongProvider(`${PREFIX}CLIENT_SECRET_FILE cannot be read: ${messageOf(error)}`)
  }
}

const wrongProvider = (message: string) => new TreeosError('INVALID_INPUT', message)
