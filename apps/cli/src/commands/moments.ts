import type { Cli, InstanceOptions } from '../cli.ts'
import { parseNumber, requireStance } from '../text/input.ts'
import {
  shownBeings,
  shownExplanation,
  shownExtensions,
  shownMoments,
  shownOperations,
  shownPrompt,
} from './shared/show.ts'

const MOMENTS_MAX = 1_000_000_000

/** `treeos moments | explain | prompt | beings | extensions | operations` */
export function addLooking(cli: Cli): void {
  addMoments(cli)
  addLists(cli)
}

function addMoments(cli: Cli): void {
  cli
    .onInstance('moments <stance>', 'list the finished moments of a being, oldest first')
    .option('--last <n>', 'only the last n', wholeNumber('--last'))
    .action(
      cli.run(async (out, stance: string, options: InstanceOptions & { last?: number }) => {
        const being = requireStance(stance)
        const { moments } = await import('@treeos/client/records')
        const { look } = await import('../instance/connection.ts')
        const { requireBeing } = await import('./shared/queries.ts')
        const list = await look(options, async (at) => {
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
        const { look } = await import('../instance/connection.ts')
        const { requireBeing } = await import('./shared/queries.ts')
        const explained = await look(options, async (at) => {
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
        const { loadedRegistry, look } = await import('../instance/connection.ts')
        const { requireBeing } = await import('./shared/queries.ts')
        const registry = await loadedRegistry()
        const rebuilt = await look(options, async (at) => {
          await requireBeing(at, being)
          return prompt(at.db, registry, being, n)
        })
        out.value(rebuilt, shownPrompt)
      }),
    )
}

function addLists(cli: Cli): void {
  cli.onInstance('beings', 'list all beings').action(
    cli.run(async (out, options: InstanceOptions) => {
      const { beings } = await import('@treeos/client/records')
      const { look } = await import('../instance/connection.ts')
      out.value(await look(options, ({ db }) => beings(db)), shownBeings)
    }),
  )
  cli.command('extensions', 'list the extensions, and what each brings').action(
    cli.run(async (out) => {
      const { listExtensions } = await import('./shared/queries.ts')
      out.value(await listExtensions(), shownExtensions)
    }),
  )
  cli.describeGroup('extension', 'what an extension leaves behind')
  cli.onInstance('end <name>', 'end the roles of an extension that was removed for good', 'extension').action(
    cli.run(async (out, name: string, options: InstanceOptions) => {
      const { endExtension } = await import('@treeos/reality')
      const { loadedRegistry, look } = await import('../instance/connection.ts')
      const registry = await loadedRegistry()
      const roles = await look(options, (at) => endExtension({ ...at, registry }, name))
      out.value({ extension: name, roles }, (ended) => `ended ${ended.roles.join(', ')}`)
    }),
  )
  cli.command('operations', 'list all operations and their arguments').action(
    cli.run(async (out) => {
      const { listOperations } = await import('./shared/queries.ts')
      out.value(await listOperations(), shownOperations)
    }),
  )
}

const wholeNumber = (name: string) => parseNumber(name, { min: 1, max: MOMENTS_MAX, whole: true })
