import type { SpokenLine, ThreadView } from '@treeos/client'
import type { ActingOptions, Cli, InstanceOptions } from '../cli.ts'
import { SPOKEN, THREADS } from '../served/past.ts'
import { mine, serve } from '../served/serve.ts'
import { SET_THREAD_OVERLAY, THREAD_OVERLAYS } from '../served/world.ts'
import { shownConversation, shownOverlayChanges, shownThreads } from '../show/threads.ts'
import { nameCell } from '../text/csv.ts'
import { UsageError } from '../text/failure.ts'
import { overlayOf, requireStance, wholeNumber } from '../text/input.ts'
import { acts, doing } from './shared/act.ts'
import {
  boundsOf,
  type Columns,
  isAmong,
  isWithin,
  type ListingOptions,
  listsActs,
  tellListed,
} from './shared/list-options.ts'

const LAST = 50
const LAST_MAX = 10_000

interface ThreadsOptions extends InstanceOptions, ListingOptions {
  readonly all?: boolean
  readonly last?: number
}

const THREAD_COLUMNS: Columns<ThreadView> = {
  thread: ({ thread }) => thread,
  state: ({ state }) => state,
  began: ({ began }) => began,
  moved: ({ moved }) => moved,
  wakes: ({ wakes }) => wakes,
  open: ({ open }) => open,
  acts: ({ acts }) => acts,
  beings: ({ participants }) => participants.map(nameCell).join(' '),
}

const LINE_COLUMNS: Columns<SpokenLine> = {
  at: ({ at }) => at,
  kind: ({ kind }) => kind,
  from: ({ from }) => nameCell(from),
  to: ({ to }) => nameCell(to),
  text: ({ text }) => text,
  outside: ({ outside = false }) => outside,
  moment: ({ moment }) => moment,
  followed: ({ followed = [] }) => followed.map(nameCell).join(' '),
  tokens: ({ tokens }) => tokens,
  money: ({ money }) => money,
}

/** `treeos thread`: one wake and all that came of it. */
export function addThread(cli: Cli): void {
  cli.describeGroup('thread', 'threads: one wake, and all that it caused')
  listsActs(
    cli
      .onInstance('list', 'list the open threads, the latest first', 'thread')
      .option('--all', 'also the threads that are over')
      .option('--last <n>', `at most this many (default: ${LAST})`, wholeNumber('--last', 1, LAST_MAX)),
    'thread list',
  ).action(
    cli.run(async (out, options: ThreadsOptions) => {
      const bounds = boundsOf(options, mine(options))
      const isBounded = Object.values(bounds).some((bound) => bound !== undefined)
      const { all = false, last = LAST } = options
      const listed = await serve(options, THREADS, { all, last: isBounded ? LAST_MAX : last })
      const found = listed
        .filter(({ moved, participants }) => isWithin(bounds, moved) && isAmong(bounds, participants))
        .slice(0, last)
      tellListed(out, options, found, THREAD_COLUMNS, () => out.value(found, shownThreads))
    }),
  )
  listsActs(
    cli.onInstance(
      'show <id>',
      'show one thread, or the threads of a channel\nA thread is named by the correlation of its first wake, a channel by its name.',
      'thread',
    ),
    'thread show',
  ).action(
    cli.run(async (out, id: string, options: InstanceOptions & ListingOptions) => {
      const bounds = boundsOf(options, mine(options))
      const found = await serve(options, SPOKEN, { id })
      if ('channel' in found) {
        const threads = found.threads.filter(
          ({ moved, participants }) => isWithin(bounds, moved) && isAmong(bounds, participants),
        )
        const shown = { ...found, threads }
        return tellListed(out, options, threads, THREAD_COLUMNS, () => out.value(shown, shownConversation))
      }
      const lines = found.lines.filter(
        ({ at, from = null, to = null }) => isWithin(bounds, at) && isAmong(bounds, [from, to]),
      )
      const shown = { ...found, lines }
      tellListed(out, options, lines, LINE_COLUMNS, () => out.value(shown, shownConversation))
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
