import type { Cli, InstanceOptions } from '../cli.ts'
import { parseNumber, requireStance } from '../text/input.ts'
import {
  shownBeings,
  shownExplanation,
  shownExtensions,
  shownMoments,
  shownOperations,
  shownPrompt,
} from './show.ts'

const MOMENTS_MAX = 1_000_000_000

/** `treeos moments | explain | prompt | beings | extensions | operations` */
export function addLooking(cli: Cli): void {
  cli
    .onInstance('moments <stance>', 'the finished moments of a being, oldest first')
    .option('--last <n>', 'the newest only', wholeNumber('--last'))
    .action(
      cli.run(async (out, stance: string, options: InstanceOptions & { last?: number }) => {
        const being = requireStance(stance)
        const { moments } = await import('@treeos/client/records')
        const { look } = await import('../instance/connection.ts')
        const { requireBeing } = await import('./lists.ts')
        const list = await look(options, async (at) => {
          await requireBeing(at, being)
          return moments(at.db, being, options.last)
        })
        out.lines(list, shownMoments)
      }),
    )

  cli
    .onInstance('explain <stance>', 'why a moment wore what it wore, and what it could reach')
    .argument('<n>', 'number of the moment', wholeNumber('N'))
    .action(
      cli.run(async (out, stance: string, n: number, options: InstanceOptions) => {
        const being = requireStance(stance)
        const { explain } = await import('@treeos/client/records')
        const { look } = await import('../instance/connection.ts')
        const { requireBeing } = await import('./lists.ts')
        const explained = await look(options, async (at) => {
          await requireBeing(at, being)
          return explain(at.db, being, n)
        })
        out.value(explained, shownExplanation)
      }),
    )

  cli
    .onInstance('prompt <stance>', 'the prompt of a moment, rebuilt and compared with what was recorded')
    .argument('<n>', 'number of the moment', wholeNumber('N'))
    .action(
      cli.run(async (out, stance: string, n: number, options: InstanceOptions) => {
        const being = requireStance(stance)
        const { prompt } = await import('@treeos/client/records')
        const { loadedRegistry, look } = await import('../instance/connection.ts')
        const { requireBeing } = await import('./lists.ts')
        const registry = await loadedRegistry()
        const rebuilt = await look(options, async (at) => {
          await requireBeing(at, being)
          return prompt(at.db, registry, being, n)
        })
        out.value(rebuilt, shownPrompt)
      }),
    )

  cli.onInstance('beings', 'who lives here').action(
    cli.run(async (out, options: InstanceOptions) => {
      const { beings } = await import('@treeos/client/records')
      const { look } = await import('../instance/connection.ts')
      out.value(await look(options, ({ db }) => beings(db)), shownBeings)
    }),
  )
  cli.command('extensions', 'what code brings into a reality').action(
    cli.run(async (out) => {
      const { listExtensions } = await import('./lists.ts')
      out.value(await listExtensions(), shownExtensions)
    }),
  )
  cli.describeGroup('extension', 'what an extension brought')
  cli.onInstance('end <name>', 'end the roles of an extension that is gone for good', 'extension').action(
    cli.run(async (out, name: string, options: InstanceOptions) => {
      const { endExtension } = await import('@treeos/reality')
      const { loadedRegistry, look } = await import('../instance/connection.ts')
      const registry = await loadedRegistry()
      const roles = await look(options, (at) => endExtension({ ...at, registry }, name))
      out.value({ extension: name, roles }, (ended) => `ended ${ended.roles.join(', ')}`)
    }),
  )
  cli.command('operations', 'what can be done, and with which arguments').action(
    cli.run(async (out) => {
      const { listOperations } = await import('./lists.ts')
      out.value(await listOperations(), shownOperations)
    }),
  )
}

const wholeNumber = (name: string) => parseNumber(name, { min: 1, max: MOMENTS_MAX, whole: true })
