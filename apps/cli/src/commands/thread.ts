import type { ActingOptions, Cli, InstanceOptions } from '../cli.ts'
import { SPOKEN, THREADS } from '../served/past.ts'
import { serve } from '../served/serve.ts'
import { SET_THREAD_OVERLAY, THREAD_OVERLAYS } from '../served/world.ts'
import { shownConversation, shownOverlayChanges, shownThreads } from '../show/threads.ts'
import { UsageError } from '../text/failure.ts'
import { overlayOf, requireStance, wholeNumber } from '../text/input.ts'
import { acts, doing } from './shared/act.ts'

const LAST = 50
const LAST_MAX = 10_000

/** `treeos thread`: one wake and all that came of it. */
export function addThread(cli: Cli): void {
  cli.describeGroup('thread', 'threads: one wake, and all that it caused')
  cli
    .onInstance('list', 'list the open threads, the latest first', 'thread')
    .option('--all', 'also the threads that are over')
    .option('--last <n>', 'at most this many', wholeNumber('--last', 1, LAST_MAX), LAST)
    .action(
      cli.run(
        async (out, { all = false, last, ...options }: InstanceOptions & { all?: boolean; last: number }) => {
          out.value(await serve(options, THREADS, { all, last }), shownThreads)
        },
      ),
    )
  cli
    .onInstance(
      'show <id>',
      'show one thread, or the threads of a channel\nA thread is named by the correlation of its first wake, a channel by its name.',
      'thread',
    )
    .action(
      cli.run(async (out, id: string, options: InstanceOptions) => {
        out.value(await serve(options, SPOKEN, { id }), shownConversation)
      }),
    )
  addThreadOverlay(cli)
  acts(
    cli,
    cli.asBeing('cut <id>', 'end a thread: nothing in it opens a moment again', 'thread'),
    (id: string) => doing(`thread:${id}`, 'cut-thread'),
  )
}

function addThreadOverlay(cli: Cli): void {
  cli
    .asBeing(
      'overlay <id> [text]',
      'set the overlay of a thread, or list when it changed\nIt says how models are to approach the next moments of the thread. The text - is read from standard input; without a text, changes are listed.',
      'thread',
    )
    .option('--clear', 'take it away')
    .action(
      cli.run(
        async (out, id: string, text: string | undefined, options: ActingOptions & { clear?: true }) => {
          if (text !== undefined && options.clear === true)
            throw new UsageError('--clear takes the overlay away: leave out the text')
          const as = requireStance(options.as)
          if (text === undefined && options.clear !== true) {
            return out.value(await serve(options, THREAD_OVERLAYS, { thread: id }), shownOverlayChanges)
          }
          const content = text === undefined ? null : await overlayOf(text)
          const change = await serve(options, SET_THREAD_OVERLAY, { as, thread: id, content })
          out.value(change, (made) => shownOverlayChanges([made]))
        },
      ),
    )
}
