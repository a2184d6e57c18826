import type { ActResult, Cancelled, GatherResult, InboxView, SummonResult } from '@treeos/client'
import { oneLine, prettyJson, shown, table } from '../text/output.ts'
import { cut, short, timeOf } from './parts.ts'

export function shownSummoned({ correlation, moment, reply }: SummonResult): string {
  if (moment === null) return `summoned; an answer will name ${correlation}`
  if (reply !== null) return `${reply.from}: ${shown(reply.content)}`
  const said = moment.content === undefined ? '' : `, and said to nobody: ${oneLine(moment.content)}`
  return `no reply: the moment ended as ${moment.outcome}${said}`
}

export function shownReplied(replied: SummonResult): string {
  return replied.moment === null
    ? `replied; an answer to the reply will name ${replied.correlation}`
    : shownSummoned(replied)
}

export function shownDone({ act, result, facts }: ActResult): string {
  const head = act === null ? 'nothing was changed' : `act ${act}`
  const lines = facts.map(({ kind, reel, seq, hash }) => [kind, `${reel} ${seq}`, short(hash)])
  return [head, ...(lines.length > 0 ? [table(lines, '  ')] : []), prettyJson(result)].join('\n')
}

export const shownCancelled = ({ being, n }: Cancelled): string =>
  `cancelled: moment ${n} of @${being} ends as a failure, and whoever asked is told`

export function shownInbox(entries: readonly InboxView[]): string {
  if (entries.length === 0) return 'nothing waits for you'
  return table(
    entries.map(({ correlation, from, content, at, priority, notice, times = 1 }) => [
      correlation,
      timeOf(at),
      from ?? (notice === true ? 'notice' : '-'),
      times === 1 ? priority : `${priority}, ${times} times`,
      cut(oneLine(shown(content))),
    ]),
  )
}

export function shownGathered({ complete, replies, silent, waiting }: GatherResult): string {
  return [
    ...replies.map(({ from, content }) => `${from}: ${shown(content)}`),
    ...silent.map(({ from, outcome, reason }) => `${from} gave no answer: ${reason ?? outcome}`),
    ...waiting.map((from) => `${from} has not answered yet: its answer will be in the inbox`),
    ...(complete ? [] : ['fewer answered than were needed']),
  ].join('\n')
}
