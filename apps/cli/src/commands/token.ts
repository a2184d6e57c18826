import type { ActingOptions, Cli } from '../cli.ts'
import { withReality } from '../instance/with-instance.ts'
import { serve } from '../served/serve.ts'
import { REVOKE_TOKEN, TOKENS } from '../served/world.ts'
import { shownIssued, shownTokens } from '../show/tokens.ts'
import { requireStance, wholeNumber } from '../text/input.ts'

const DAYS_MAX = 365

/** `treeos token`: who outside may act as whom. */
export function addToken(cli: Cli): void {
  cli.describeGroup('token', 'access tokens: let a program outside act as one being')
  cli
    .asBeing(
      'create <stance>',
      'issue a token for yourself or a descendant\nIts secret is shown once.',
      'token',
    )
    .option('--days <n>', 'how long it is valid (default: 30)', wholeNumber('--days', 1, DAYS_MAX))
    .action(
      cli.run(async (out, stance: string, { days, ...options }: ActingOptions & { days?: number }) => {
        const as = requireStance(options.as)
        const request = { being: requireStance(stance, as), as, days }
        out.value(await withReality(options, (at, { issueToken }) => issueToken(at, request)), shownIssued)
      }),
    )
  cli.asBeing('list', 'list the tokens for you and your descendants, oldest first', 'token').action(
    cli.run(async (out, options: ActingOptions) => {
      const as = requireStance(options.as)
      out.value(await serve(options, TOKENS, { as }), shownTokens)
    }),
  )
  cli.asBeing('revoke <id>', 'revoke a token for good', 'token').action(
    cli.run(async (out, id: string, options: ActingOptions) => {
      const as = requireStance(options.as)
      const revoked = await serve(options, REVOKE_TOKEN, { id, as })
      out.value(revoked, () => `token ${revoked.id} is revoked: it no longer acts as ${revoked.being}`)
    }),
  )
}
