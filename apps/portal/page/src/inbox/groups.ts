import type { InboxCounts, InboxKind } from '@treeos/client'
import { t } from '../language/index.ts'
import type { InboxEntry } from './entry.ts'
import { hasFacets, type WantedFacets } from './facets.ts'
import { type InboxGroup, KINDS_OF } from './kinds.ts'
import { senderOf } from './sender.ts'

export const GROUP_TITLES: Readonly<Record<InboxGroup, string>> = {
  needs: t('Needs you'),
  answers: t('Answers'),
  notices: t('Notices'),
}

/** How many entries each part holds. */
export function countsOf({ open }: Pick<InboxCounts, 'open'>): Readonly<Record<InboxGroup, number>> {
  const countOf = (group: InboxGroup) => KINDS_OF[group].reduce((sum, kind) => sum + open[kind], 0)
  return { needs: countOf('needs'), answers: countOf('answers'), notices: countOf('notices') }
}

/** Counts come in whole milliseconds, rounded. */
const ROUNDED_MS = 1

/**
 * Whether a list of a part, the newest first, holds what was counted. Where it cannot tell it says no: the
 * newest entry of all may be in another part.
 */
export function isAsCounted(
  group: InboxGroup,
  { items, isWhole }: { readonly items: readonly InboxEntry[]; readonly isWhole: boolean },
  counts: Pick<InboxCounts, 'open' | 'newest'>,
): boolean {
  const counted = countsOf(counts)[group]
  if (isWhole ? items.length !== counted : items.length > counted) return false
  return (
    items.length === 0 || Math.max(...items.map(newestOf)) >= Date.parse(counts.newest ?? '') - ROUNDED_MS
  )
}

export interface InboxFilter {
  /** words that its sender or its text holds */
  readonly search: string
  readonly facets: WantedFacets
  readonly isOldestFirst: boolean
}

/** Entries, those first whose senders wait longest. */
export const longestFirst = (entries: readonly InboxEntry[]): InboxEntry[] =>
  [...entries].sort((a, b) => newestOf(a) - newestOf(b))

/** The entries that are wanted, in their order. @param tell the words of an entry, as they are shown */
export function wantedOf(
  entries: readonly InboxEntry[],
  { search, facets, isOldestFirst }: InboxFilter,
  tell: (entry: InboxEntry) => string,
): InboxEntry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const found = longestFirst(entries).filter((entry) => {
    if (!hasFacets(entry, facets)) return false
    if (words.length === 0) return true
    const text = `${senderOf(entry)} ${tell(entry)}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return isOldestFirst ? found : found.reverse()
}

const newestOf = ({ at, latest }: InboxEntry): number => Date.parse(latest ?? at)

/** The entry that is open after one is closed: the next one, else the one before. */
export function nextTo(entries: readonly InboxEntry[], correlation: string): string | undefined {
  const at = entries.findIndex((entry) => entry.correlation === correlation)
  return (entries[at + 1] ?? entries[at - 1])?.correlation
}

const TAKES_WORDS: readonly InboxKind[] = ['question', 'asks-back', 'answer', 'news']
/** Whether an entry takes words of the person. */
export const isAnswered = ({ kind }: Pick<InboxEntry, 'kind'>): boolean => TAKES_WORDS.includes(kind)
