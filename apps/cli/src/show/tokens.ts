import type { TokenView } from '@treeos/client'
import { table } from '../text/output.ts'

/** The secret stands on a line of its own, to be taken up by whoever copies it. */
export function shownIssued({ id, being, expiresAt, secret }: TokenView & { secret: string }): string {
  return [`token ${id} acts as ${being} until ${expiresAt}; its secret is shown this once:`, secret].join(
    '\n',
  )
}

export function shownTokens(tokens: readonly TokenView[], now = Date.now()): string {
  if (tokens.length === 0) return 'nobody outside acts as anybody'
  return table(tokens.map((token) => [token.id, token.being, `by ${token.issuedBy}`, tokenState(token, now)]))
}

function tokenState({ expiresAt, revokedAt }: TokenView, now: number): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`
  return Date.parse(expiresAt) > now ? `until ${expiresAt}` : `expired ${expiresAt}`
}
