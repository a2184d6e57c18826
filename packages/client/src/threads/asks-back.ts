import { type Json, readPath } from '@treeos/core'
import type { InboxEntry } from '@treeos/store'

/** Its end is a question mark, with what may close a quotation or a bracket behind it. */
const ASKING = /\S[?？؟]["”’»)\]*_']*(\s|$)/

/** Whether words ask: a sentence of their last paragraph does. `treeos.asks_back` counts by the same. */
export function asksBack(content: Json): boolean {
  const words = typeof content === 'string' ? content : readPath(content, ['text'])
  return (
    typeof words === 'string' &&
    ASKING.test(
      words
        .trim()
        .split(/\n\s*\n/)
        .at(-1) ?? '',
    )
  )
}

/** Whether a wake is an answer that asks in turn: whoever is told it is needed, whatever the protocol calls it. */
export const isAskingBack = ({
  kind,
  inReplyTo,
  content,
}: Pick<InboxEntry, 'kind' | 'inReplyTo' | 'content'>): boolean =>
  kind === 'summon' && inReplyTo !== null && asksBack(content)
