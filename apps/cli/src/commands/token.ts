import type { ActingOptions, Cli } from '../cli.ts'
import { parseNumber, requireStance } from '../text/input.ts'
import { shownIssued, shownTokens } from './shared/show-tokens.ts'

const DAYS_MAX = 365

/** `treeos token`: who outside may act as whom. */
export function addToken(cli: Cli): void {
  cli.describeGroup('token', 'access tokens: let a program outside act as one being')
  cli
    .asBeing(
      'create <stance>',
      'issue a token for yourself or a descendant; its secret is shown once',
      'token',
    )
    .option(
      '--days <n>',
      'how long it is valid (default: 30)',
      parseNumber('--days', { min: 1, max: DAYS_MAX, whole: true }),
    )
    .action(
      cli.run(async (out, stance: string, options: ActingOptions & { days?: number }) => {
        const as = requireStance(options.as)
        const being = requireStance(stance, as)
        const { issueToken } = await import('@treeos/client/records')
        const { withReality } = await import('../instance/connection.ts')
        const { days } = options
        const asked = { being, as, ...(days === undefined ? {} : { days }) }
        out.value(await withReality(options, (at) => issueToken(at, asked)), shownIssued)
      }),
    )
  cli.asBeing('list', 'list the tokens for you and your descendants, oldest first', 'token').action(
    cli.run(async (out, options: ActingOptions) => {
      const as = requireStance(options.as)
      const { listTokens } = await import('@treeos/client/records')
      const { withReality } = await import('../instance/connection.ts')
      out.value(await withReality(options, (at) => listTokens(at, as)), shownTokens)
    }),
  )
  cli.asBeing('revoke <id>', 'revoke a token for good', 'token').action(
    cli.run(async (out, id: string, options: ActingOptions) => {
      const as = requireStance(options.as)
      const { revokeToken } = await import('@treeos/client/records')
      const { withReality } = await import('../instance/connection.ts')
      const revoked = await withReality(options, (at) => revokeToken(at, { id, as }))
      out.value(revoked, () => `token ${revoked.id} is revoked: it no longer acts as ${revoked.being}`)
    }),
  )
}
