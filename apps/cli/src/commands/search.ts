import type { ActingOptions, Cli } from '../cli.ts'
import { SEARCH } from '../served/past.ts'
import { serve } from '../served/serve.ts'
import { shownSearched } from '../show/search.ts'
import { requireStance, wholeNumber } from '../text/input.ts'

const FOUND = 20
const FOUND_MAX = 200

/** `treeos search`: what a being may read that holds some words. */
export function addSearch(cli: Cli): void {
  cli
    .asBeing('search <text>', 'search beings, spaces and roles, and what was said and done')
    .option('--last <n>', 'at most this many of each', wholeNumber('--last', 1, FOUND_MAX), FOUND)
    .action(
      cli.run(async (out, text: string, options: ActingOptions & { last: number }) => {
        const as = requireStance(options.as)
        out.value(await serve(options, SEARCH, { as, text, limit: options.last }), shownSearched)
      }),
    )
}
