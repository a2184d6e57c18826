import type { Cli, InstanceOptions } from '../cli.ts'
import { requireLivingBeing, withBeing, withRegistry } from '../instance/with-instance.ts'
import { shownExplanation, shownMoments, shownPrompt } from '../show/moments.ts'
import { momentNumber, requireStance } from '../text/input.ts'

/** `treeos moments | explain | prompt` */
export function addMoments(cli: Cli): void {
  cli
    .onInstance('moments <stance>', 'list the finished moments of a being, oldest first')
    .option('--last <n>', 'only the last n', momentNumber('--last'))
    .action(
      cli.run(async (out, stance: string, { last, ...options }: InstanceOptions & { last?: number }) => {
        out.lines(
          await withBeing(options, stance, ({ db }, being, { livedMoments }) =>
            livedMoments(db, being, last),
          ),
          shownMoments,
        )
      }),
    )

  cli
    .onInstance('explain <stance>', 'show why a moment had its roles, and what they permitted')
    .argument('<n>', 'number of the moment', momentNumber('N'))
    .action(
      cli.run(async (out, stance: string, n: number, options: InstanceOptions) => {
        out.value(
          await withBeing(options, stance, (at, being, { explain, pastReader }) =>
            explain(at.db, being, n, pastReader(at, null)),
          ),
          shownExplanation,
        )
      }),
    )

  cli
    .onInstance('prompt <stance>', 'rebuild the prompt of a moment, and compare it with the record')
    .argument('<n>', 'number of the moment', momentNumber('N'))
    .action(
      cli.run(async (out, stance: string, n: number, options: InstanceOptions) => {
        const being = requireStance(stance)
        const rebuilt = await withRegistry(options, async (at, { prompt }) => {
          await requireLivingBeing(at, being)
          return prompt(at.db, at.registry, being, n)
        })
        out.value(rebuilt, shownPrompt)
      }),
    )
}
