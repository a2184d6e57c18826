import type { Cli, InstanceOptions } from '../cli.ts'
import { parseNumber, requireStance } from '../text/input.ts'
import { shownExplanation, shownMoments, shownPrompt } from './shared/show.ts'

const MOMENTS_MAX = 1_000_000_000

/** `treeos moments | explain | prompt` */
export function addMoments(cli: Cli): void {
  cli
    .onInstance('moments <stance>', 'list the finished moments of a being, oldest first')
    .option('--last <n>', 'only the last n', wholeNumber('--last'))
    .action(
      cli.run(async (out, stance: string, options: InstanceOptions & { last?: number }) => {
        const being = requireStance(stance)
        const { moments } = await import('@treeos/client/records')
        const { withReality } = await import('../instance/connection.ts')
        const { requireBeing } = await import('./shared/queries.ts')
        const list = await withReality(options, async (at) => {
          await requireBeing(at, being)
          return moments(at.db, being, options.last)
        })
        out.lines(list, shownMoments)
      }),
    )

  cli
    .onInstance('explain <stance>', 'show why a moment had its roles, and what they permitted')
    .argument('<n>', 'number of the moment', wholeNumber('N'))
    .action(
      cli.run(async (out, stance: string, n: number, options: InstanceOptions) => {
        const being = requireStance(stance)
        const { explain } = await import('@treeos/client/records')
        const { withReality } = await import('../instance/connection.ts')
        const { requireBeing } = await import('./shared/queries.ts')
        const explained = await withReality(options, async (at) => {
          await requireBeing(at, being)
          return explain(at.db, being, n)
        })
        out.value(explained, shownExplanation)
      }),
    )

  cli
    .onInstance('prompt <stance>', 'rebuild the prompt of a moment, and compare it with the recorded one')
    .argument('<n>', 'number of the moment', wholeNumber('N'))
    .action(
      cli.run(async (out, stance: string, n: number, options: InstanceOptions) => {
        const being = requireStance(stance)
        const { prompt } = await import('@treeos/client/records')
        const { loadedRegistry, withReality } = await import('../instance/connection.ts')
        const { requireBeing } = await import('./shared/queries.ts')
        const registry = await loadedRegistry()
        const rebuilt = await withReality(options, async (at) => {
          await requireBeing(at, being)
          return prompt(at.db, registry, being, n)
        })
        out.value(rebuilt, shownPrompt)
      }),
    )
}

const wholeNumber = (name: string) => parseNumber(name, { min: 1, max: MOMENTS_MAX, whole: true })
