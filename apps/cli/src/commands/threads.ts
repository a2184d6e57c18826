import { parseCall, TreeosError } from '@treeos/core'
import type { ActingOptions, Cli, InstanceOptions } from '../cli.ts'
import { parseNumber, requireStance } from '../text/input.ts'
import { shownConversation, shownDone, shownOverlayChanges, shownThreads } from './shared/show.ts'
import { overlayOf } from './verbs.ts'

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
  cli
    .asBeing(
      'overlay <id> [text]',
      'set how models are to approach the next moments of a thread; - reads it from standard input; without a text: list when it changed',
      'thread',
    )
    .option('--clear', 'take it away')
    .action(
      cli.run(
        async (out, id: string, text: string | undefined, options: ActingOptions & { clear?: true }) => {
          if (text !== undefined && options.clear === true)
            throw new TreeosError('INVALID_INPUT', '--clear takes the overlay away: leave out the text')
          const as = requireStance(options.as)
          const { setThreadOverlay, threadOverlays } = await import('@treeos/client')
          const { withReality, withServices } = await import('../instance/connection.ts')
          if (text === undefined && options.clear !== true) {
            out.value(await withReality(options, (at) => threadOverlays(at, id)), shownOverlayChanges)
            return
          }
          const overlay = text === undefined ? null : { content: await overlayOf(text) }
          const change = await withServices(options, (at) =>
            setThreadOverlay(at, { as, thread: id, overlay }),
          )
          out.value(change, (made) => shownOverlayChanges([made]))
        },
      ),
    )
  cli.asBeing('cut <id>', 'end a thread: nothing in it opens a moment again', 'thread').action(
    cli.run(async (out, id: string, options: ActingOptions) => {
      const { actAs } = await import('./shared/act-as.ts')
      const call = parseCall({ verb: 'do', target: `thread:${id}`, action: 'cut-thread' })
      out.value(await actAs(options, call), shownDone)
    }),
  )
}
