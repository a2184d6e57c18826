import type { Conversation } from '@treeos/client'
import { endedBy } from '../words/end-words.ts'
import { wordsOf } from '../words/tell.ts'
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
    `# ${participants.length === 0 ? 'A thread' : participants.map(onOneLine).join(', ')}`,
    [
      `- Thread ${onOneLine(thread)} of ${onOneLine(reality)}, ${state}`,
      `- From ${began} to ${moved} (UTC)`,
      ...(hidden === 0 ? [] : [`- ${hidden} further lines are older, or not open to who wrote this file`]),
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
        ? 'It waits.'
        : ''
      : `Moment ${moment.n} ${onOneLine(endedBy(moment.outcome, moment.reason))}.`
  const mark = outside === true ? ' (from outside)' : ''
  return [
    `## ${kind === 'event' || from === null ? 'What happened' : `${onOneLine(from)} to ${onOneLine(to)}`}${mark}`,
    at,
    quoted(kind === 'event' ? text : wordsOf(content)),
    ...(end === '' ? [] : [end]),
  ].join('\n\n')
}
