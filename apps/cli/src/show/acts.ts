import type {
  ActResult,
  CancelledCall,
  GatherResult,
  InboxView,
  Proposal,
  ProposedView,
  SummonResult,
} from '@treeos/client'
import type { Json } from '@treeos/core'
import { oneLine, prettyJson, shown, table } from '../text/output.ts'
import { programName } from '../text/program-name.ts'
import { cut, short, timeOf } from './parts.ts'

export function shownSummoned({ correlation, moment, reply, waiting }: SummonResult): string {
  if (waiting !== undefined) return shownWaiting(waiting)
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

/** What a call waits for, which the world made. */
function shownWaiting(waiting: Json): string {
  const { approval, waitsFor, rule, expiresAt } = waiting as Record<string, Json>
  const whom = Array.isArray(waitsFor) ? waitsFor.join(' or ') : 'somebody'
  return `not done yet: it waits for the yes of ${whom}, whom ${rule} asks, until ${expiresAt}\n  ${programName()} approve ${approval}`
}

export function shownApprovals(waiting: readonly (ProposedView & { readonly link?: string })[]): string {
  if (waiting.length === 0) return 'nothing waits for your yes'
  return waiting
    .map(({ id, from, call, rule, expiresAt, roles, link, outside, likeThis }) =>
      [
        `${id}  ${from} as ${roles.join(' + ')}, until ${timeOf(expiresAt)}, by ${rule}`,
        ...(outside === true ? ['its moment holds words from outside'] : []),
        prettyJson(call),
        ...(link === undefined ? [] : [link]),
        ...(likeThis === undefined ? [] : shownProposal(from, likeThis)),
      ].join('\n'),
    )
    .join('\n')
}

function shownProposal(from: string, { approved, space, field, value: rules, free }: Proposal): string[] {
  const value = `'${JSON.stringify(rules)}'`
  const bounds = free.length === 0 ? '' : `; it does not bound ${free.join(', ')}`
  return [
    `you said yes to ${approved} like this. This rule would ask you only beyond them${bounds}:`,
    `  ${programName()} space set ${space} ${field} ${value}`,
    `what it would have let through: ${programName()} whatif ${from} --space ${space} --field ${field} --value ${value}`,
  ]
}

export function shownDone({ act, result, facts, waiting }: ActResult): string {
  if (waiting !== undefined) return shownWaiting(waiting)
  const head = act === null ? 'nothing was changed' : `act ${act}`
  const lines = facts.map(({ kind, reel, seq, hash }) => [kind, `${reel} ${seq}`, short(hash)])
  return [head, ...(lines.length > 0 ? [table(lines, '  ')] : []), prettyJson(result)].join('\n')
}

export const shownCancelled = ({ being, n }: CancelledCall): string =>
  `cancelled: moment ${n} of @${being} ends as a failure, and whoever asked is told`

export function shownInbox(entries: readonly InboxView[]): string {
  if (entries.length === 0) return 'nothing waits for you'
  return table(
    entries.map(({ correlation, from, text, at, priority, notice, outside, times = 1 }) => [
      correlation,
      timeOf(at),
      from ?? (notice === true ? 'notice' : '-'),
      times === 1 ? priority : `${priority}, ${times} times`,
      `${outside === true ? '(from outside) ' : ''}${cut(oneLine(text))}`,
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
