import type { ChannelView, ThreadView } from '@treeos/client'
import type { OverlayChange } from '@treeos/store'
import { oneLine, table } from '../text/output.ts'
import { cut, list, short, timeOf } from './parts.ts'

export function shownThreads(threads: readonly ThreadView[]): string {
  if (threads.length === 0) return 'no thread is open'
  return table(
    threads.map(({ thread, state, moved, wakes, open, acts, participants }) => [
      thread,
      state,
      timeOf(moved),
      `${wakes} wakes, ${open} open, ${acts} acts`,
      cut(list(participants)),
    ]),
  )
}

export const shownConversation = (view: ThreadView | ChannelView): string =>
  'channel' in view ? shownThreads(view.threads) : shownThread(view)

function shownThread({
  thread,
  state,
  began,
  moved,
  participants,
  unheard = [],
  ...counts
}: ThreadView): string {
  return table([
    ['thread', thread],
    ['state', state],
    ['began', timeOf(began)],
    ['moved', timeOf(moved)],
    ['beings', list(participants)],
    ...Object.entries(counts).map(([name, count]) => [name, String(count)]),
    ...unheard.map(({ from, words }) => ['said to nobody', `${from}: ${cut(oneLine(words))}`]),
  ])
}

export function shownOverlayChanges(changes: readonly OverlayChange[]): string {
  if (changes.length === 0) return 'no overlay was set in this thread'
  return table(
    changes.map(({ at, by, commitment }) => [
      timeOf(new Date(at).toISOString()),
      `@${by}`,
      commitment === null ? 'took it away' : `set it, commitment ${short(commitment)}`,
    ]),
  )
}
