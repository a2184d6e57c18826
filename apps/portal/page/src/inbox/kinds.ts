import type { InboxKind } from '@treeos/client'
import type { InboxEntry } from './entry.ts'

// What begins before the page is drawn reads this, so no texts are here.

/** The parts of an inbox. What needs a decision stands apart from what is only read. */
export const GROUPS = ['needs', 'answers', 'notices'] as const
export type InboxGroup = (typeof GROUPS)[number]

/**
 * The kinds of each part. The list of a part is asked for by them, so that no other entries take its place.
 */
export const KINDS_OF: Readonly<Record<InboxGroup, readonly InboxKind[]>> = {
  needs: ['question', 'approval', 'budget', 'asks-back'],
  answers: ['answer'],
  notices: ['news', 'notice', 'event'],
}
export const groupOf = ({ kind }: Pick<InboxEntry, 'kind'>): InboxGroup =>
  GROUPS.find((group) => KINDS_OF[group].includes(kind)) ?? 'notices'
