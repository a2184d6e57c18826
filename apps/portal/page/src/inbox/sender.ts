import type { InboxKind } from '@treeos/client'
import type { InboxEntry } from './entry.ts'

/** What a kind is called in a list. */
export const KIND_LABELS: Readonly<Record<InboxKind, string>> = {
  question: 'question',
  approval: 'approval',
  budget: 'parked',
  'asks-back': 'asks back',
  answer: 'answer',
  news: 'announcement',
  notice: 'notice',
  event: 'event',
}

/** The being that an entry is from, or tells of. */
export function senderOf({ from, content }: Pick<InboxEntry, 'from' | 'content'>): string {
  if (from !== null) return from
  const { actor } = (content ?? {}) as { readonly actor?: unknown }
  return typeof actor === 'string' ? actor : 'TreeOS'
}
