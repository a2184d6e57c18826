import type { Cli } from '../cli.ts'
import { overlayOf } from './verbs.ts'

/** `treeos verify-overlay`: needs no services. */
export function addVerifyOverlay(cli: Cli): void {
  cli
    .command(
      'verify-overlay <commitment> <text>',
      'check that a recorded commitment is of an overlay; - reads its text from standard input',
    )
    .requiredOption('--salt <salt>', 'the salt that the summon printed')
    .action(
      cli.run(async (out, commitment: string, text: string, { salt }: { readonly salt: string }) => {
        const { checkCommitment } = await import('@treeos/overlay')
        const ok = checkCommitment(commitment, salt, await overlayOf(text))
        out.value({ ok }, () =>
          ok ? 'the commitment is of this overlay' : 'the commitment is not of this overlay under this salt',
        )
        return ok ? 0 : 1
      }),
    )
}
