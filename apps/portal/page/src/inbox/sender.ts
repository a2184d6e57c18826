import type { InboxKind } from '@treeos/client'
import { t } from '../language/index.ts'
import type { InboxEntry } from './entry.ts'

/** What a kind is called in a list. */
export const KIND_LABELS: Readonly<Record<InboxKind, string>> = {
  question: t('question'),
  approval: t('approval'),
  budget: t('parked'),
  'asks-back': t('asks back'),
  answer: t('answer'),
  news: t('announcement'),
  notice: t('notice'),
  event: t('event'),
}

/** The being that an entry is from, or tells of. */
export function senderOf({ from, content }: Pick<InboxEntry, 'from' | 'content'>): string {
  if (from !== null) return from
  const { actor } = (content ?? {}) as { readonly actor?: unknown }
  return typeof actor === 'string' ? actor : 'TreeOS'
}
