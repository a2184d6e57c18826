import { parseCall } from '@treeos/core'
import type { ActingOptions, Cli, InstanceOptions } from '../cli.ts'
import { parseNumber } from '../text/input.ts'
import { shownConversation, shownDone, shownThreads } from './shared/show.ts'

const LAST = 50
const LAST_MAX = 10_000

/** `treeos thread`: one wake and all that came of it. */
export function addThreads(cli: Cli): void {
  cli.describeGroup('thread', 'threads: one wake, and all that it caused')
  cli
    .onInstance('list', 'list the open threads, the latest first', 'thread')
    .option('--all', 'also the threads that are over')
    .option(
      '--last <n>',
      'at most this many',
      parseNumber('--last', { min: 1, max: LAST_MAX, whole: true }),
      LAST,
    )
    .action(
      cli.run(async (out, options: InstanceOptions & { all?: boolean; last: number }) => {
        const { threads } = await import('@treeos/client/records')
        const { withReality } = await import('../instance/connection.ts')
        const { all = false, last } = options
        out.value(await withReality(options, ({ db }) => threads(db, { all, last })), shownThreads)
      }),
    )
  cli
    .onInstance(
      'show <id>',
      'show one thread, by the correlation of its first wake, or the threads of a channel, by its name',
      'thread',
    )
    .action(
      cli.run(async (out, id: string, options: InstanceOptions) => {
        const { conversation } = await import('@treeos/client/records')
        const { withReality } = await import('../instance/connection.ts')
        out.value(await withReality(options, ({ db }) => conversation(db, id)), shownConversation)
      }),
    )
  cli.asBeing('cut <id>', 'end a thread: nothing in it opens a moment again', 'thread').action(
    cli.run(async (out, id: string, options: ActingOptions) => {
      const { actAs } = await import('./shared/act-as.ts')
      const call = parseCall({ verb: 'do', target: `thread:${id}`, action: 'cut-thread' })
      out.value(await actAs(options, call), shownDone)
    }),
  )
}
