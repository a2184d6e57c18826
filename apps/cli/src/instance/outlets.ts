import { quote, TreeosError } from '@treeos/core'
import type { CourierOptions } from '@treeos/portal'

const MAIL_PROTOCOLS = ['smtp:', 'smtps:']

/**
 * How people are told outside: TREEOS_SMTP_URL and TREEOS_SMTP_FROM name the server for e-mail,
 * TREEOS_WEBHOOK_PRIVATE the private hosts that webhooks may reach.
 * @throws {TreeosError} INVALID_INPUT
 */
export function outletsIn(env: NodeJS.ProcessEnv): CourierOptions {
  const { TREEOS_SMTP_URL: url, TREEOS_SMTP_FROM: from, TREEOS_WEBHOOK_PRIVATE: hosts = '' } = env
  const privateHosts = hosts.split(/[\s,]+/).filter((host) => host !== '')
  if (!url && !from) return { privateHosts, mail: null }
  if (!url || !from)
    throw new TreeosError(
      'INVALID_INPUT',
      'TREEOS_SMTP_URL and TREEOS_SMTP_FROM belong together: set both, or neither',
    )
  if (!MAIL_PROTOCOLS.includes(URL.parse(url)?.protocol ?? ''))
    throw new TreeosError(
      'INVALID_INPUT',
      'TREEOS_SMTP_URL takes an address as in smtps://name:password@mail.example.org',
    )
  if (!/^[^\r\n]{1,300}$/.test(from) || !from.includes('@'))
    throw new TreeosError(
      'INVALID_INPUT',
      `TREEOS_SMTP_FROM is ${quote(from)}; it takes an address as in treeos@example.org`,
    )
  return { privateHosts, mail: { url, from } }
}

const SCRAPE_TOKEN_CHARS_MIN = 32

/**
 * @returns undefined where the operator named none
 * @throws {TreeosError} INVALID_INPUT for one that could be guessed
 */
export function scrapeTokenIn({ TREEOS_SCRAPE_TOKEN: token }: NodeJS.ProcessEnv): string | undefined {
  if (!token) return undefined
  if (token.length >= SCRAPE_TOKEN_CHARS_MIN && !/\s/.test(token)) return token
  throw new TreeosError(
    'INVALID_INPUT',
    `TREEOS_SCRAPE_TOKEN takes a secret of at least ${SCRAPE_TOKEN_CHARS_MIN} characters without spaces`,
  )
}
