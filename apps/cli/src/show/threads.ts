import type { ChannelView, SpokenLine, SpokenThread, ThreadView } from '@treeos/client'
import type { OverlayChange } from '@treeos/store'
import { oneLine, plain, table } from '../text/output.ts'
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

export const shownConversation = (view: SpokenThread | ChannelView): string =>
  'channel' in view ? shownThreads(view.threads) : shownThread(view)

/** The conversation, and below it what it came to. */
function shownThread(view: SpokenThread): string {
  const { thread, state, began, moved, participants, lines, hidden, owed, unheard = [] } = view
  const { moments, tokens, money, open } = view
  const spent = tokens === 0 ? '' : `, ${tokens} tokens${money === 0 ? '' : `, ${money} of money`}`
  const older = hidden === 0 ? [] : [`${hidden} older lines are not shown`]
  return [
    ...older,
    ...lines.map(lineText),
    '',
    table([
      ['thread', `${thread}, ${state}`],
      ['from, to', `${timeOf(began)}, ${timeOf(moved)}`],
      ['beings', list(participants)],
      ['moments', `${moments}${spent}; ${open} wakes are open`],
      ...owed.map(({ id, from, to }) => ['owed', `${to} owes ${from} an answer to ${id}`]),
      ...unheard.map(({ from, words }) => ['said to nobody', `${from}: ${cut(oneLine(words))}`]),
    ]),
  ].join('\n')
}

/** Words as who said them to whom; what happened as a sentence of nobody. */
function lineText({ at, from, to, text, followed = [], outside, moment, tokens }: SpokenLine): string {
  const after = followed.length === 0 ? '' : ` (after the answers of ${list(followed)})`
  const mark = after + (outside === true ? ' (from outside)' : '')
  const cost = [
    ...(moment === undefined ? [] : [moment]),
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
  ]
  const end = cost.length === 0 ? '' : `  [${cost.join(', ')}]`
  const [who, said] = from === undefined ? ['', oneLine(text)] : [`${from} → ${to}: `, plain(text)]
  return `${timeOf(at)}  ${who}${said}${mark}${end}`
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
