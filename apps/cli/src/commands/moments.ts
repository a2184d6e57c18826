import type { Cli, InstanceOptions } from '../cli.ts'
import { EXPLAIN, MOMENTS, PROMPT } from '../served/past.ts'
import { mine, serve } from '../served/serve.ts'
import { shownExplanation, shownMoments, shownPrompt } from '../show/moments.ts'
import { momentNumber, requireStance } from '../text/input.ts'

/** `treeos moments | explain | prompt` */
export function addMoments(cli: Cli): void {
  cli
    .onInstance('moments <stance>', 'list the finished moments of a being, oldest first')
    .option('--last <n>', 'only the last n', momentNumber('--last'))
    .action(
      cli.run(async (out, stance: string, { last, ...options }: InstanceOptions & { last?: number }) => {
        const being = requireStance(stance, mine(options))
        out.lines(await serve(options, MOMENTS, { being, last }), shownMoments)
      }),
    )

  cli
    .onInstance('explain <stance>', 'show why a moment had its roles, and what they permitted')
    .argument('<n>', 'number of the moment', momentNumber('N'))
    .action(
      cli.run(async (out, stance: string, n: number, options: InstanceOptions) => {
        const being = requireStance(stance, mine(options))
        out.value(await serve(options, EXPLAIN, { being, n }), shownExplanation)
      }),
    )

  cli
    .onInstance('prompt <stance>', 'rebuild the prompt of a moment, and compare it with the record')
    .argument('<n>', 'number of the moment', momentNumber('N'))
    .action(
      cli.run(async (out, stance: string, n: number, options: InstanceOptions) => {
        const being = requireStance(stance, mine(options))
        out.value(await serve(options, PROMPT, { being, n }), shownPrompt)
      }),
    )
}
