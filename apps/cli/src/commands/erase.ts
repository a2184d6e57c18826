import type { ActingOptions, Cli } from '../cli.ts'
import { ERASE } from '../served/acts.ts'
import { serve } from '../served/serve.ts'
import { shownDone } from '../show/acts.ts'
import { requireStance } from '../text/input.ts'

/** `treeos erase`: everything still verifies, and replay names what was erased. */
export function addErase(cli: Cli): void {
  cli
    .asBeing(
      'erase <fact|moment>',
      'erase what a fact says, or what a moment decided\nA fact is named by its hash, or <reel>#<seq>. A moment is named by its id; what it asked of the outside goes too.',
    )
    .requiredOption('--why <text>', 'the reason, which stays')
    .action(
      cli.run(async (out, what: string, { why, ...options }: ActingOptions & { readonly why: string }) => {
        const as = requireStance(options.as)
        out.value(await serve(options, ERASE, { as, what, why }), shownDone)
      }),
    )
}
