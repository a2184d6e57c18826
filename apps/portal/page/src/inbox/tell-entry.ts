import { askedIn } from '../asked/waiting-call.ts'
import { t } from '../language/index.ts'
import { callText, wordsOf } from '../words/tell.ts'
import type { InboxEntry } from './entry.ts'

/** An entry in one line of words. */
export function tellEntry(entry: Pick<InboxEntry, 'correlation' | 'content' | 'from' | 'text'>): string {
  const asked = askedIn(entry)
  if (asked !== null)
    return t('wants to {{call}} on {{target}}', { call: callText(asked.call), target: asked.on })
  return entry.from === null ? entry.text : wordsOf(entry.content)
}
