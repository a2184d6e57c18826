import type { Conversation } from '@treeos/client'
import { t } from '../language/index.ts'
import { endedBy } from '../words/end-words.ts'
import { wordsOf } from '../words/tell.ts'
import { threadStateText } from '../words/thread-state-text.ts'
import { onOneLine, quoted } from './quoted-text.ts'

interface SharedThread
  extends Pick<Conversation, 'thread' | 'state' | 'began' | 'moved' | 'participants' | 'hidden'> {
  readonly lines: readonly (Omit<Conversation['lines'][number], 'content'> & { readonly content: unknown })[]
}

/** A thread in Markdown, as far as the person may read it. @param reality its name */
export function threadText(
  { thread, state, began, moved, participants, lines, hidden }: SharedThread,
  reality: string,
): string {
  const head = [
    `# ${participants.length === 0 ? t('A thread') : participants.map(onOneLine).join(', ')}`,
    [
      t('- Thread {{thread}} of {{reality}}, {{state}}', {
        thread: onOneLine(thread),
        reality: onOneLine(reality),
        state: threadStateText(state),
      }),
      t('- From {{began}} to {{moved}} (UTC)', { began, moved }),
      ...(hidden === 0
        ? []
        : [t('- {{hidden}} further lines are older, or not open to who wrote this file', { hidden })]),
    ].join('\n'),
  ]
  return `${[...head, ...lines.map(lineText)].join('\n\n')}\n`
}

function lineText({
  at,
  from,
  to,
  kind,
  text,
  content,
  outside,
  isOpen,
  moment,
}: SharedThread['lines'][number]): string {
  const end =
    moment === null
      ? isOpen
        ? t('It waits.')
        : ''
      : t('Moment {{n}} {{ended}}.', {
          n: moment.n,
          ended: onOneLine(endedBy(moment.outcome, moment.reason)),
        })
  const mark = outside === true ? ` (${t('from outside')})` : ''
  const title =
    kind === 'event' || from === null
      ? t('What happened')
      : t('{{from}} to {{to}}', { from: onOneLine(from), to: onOneLine(to) })
  return [
    `## ${title}${mark}`,
    at,
    quoted(kind === 'event' ? text : wordsOf(content)),
    ...(end === '' ? [] : [end]),
  ].join('\n\n')
}
