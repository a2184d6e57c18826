import type { Entry } from './entry.ts'

/** The parts of an inbox. What needs a decision stands apart from what is only read. */
export const GROUPS = ['needs', 'answers', 'notices'] as const
export type Group = (typeof GROUPS)[number]

export const GROUP_TITLES: Readonly<Record<Group, string>> = {
  needs: 'Needs you',
  answers: 'Answers',
  notices: 'Notices',
}

const GROUP_OF: Readonly<Record<Entry['kind'], Group>> = {
  question: 'needs',
  approval: 'needs',
  budget: 'needs',
  answer: 'answers',
  news: 'notices',
  notice: 'notices',
  event: 'notices',
}
export const groupOf = ({ kind }: Pick<Entry, 'kind'>): Group => GROUP_OF[kind]

/** What a kind is called in a list. */
export const KIND_WORDS: Readonly<Record<Entry['kind'], string>> = {
  question: 'question',
  approval: 'approval',
  budget: 'parked',
  answer: 'answer',
  news: 'announcement',
  notice: 'notice',
  event: 'event',
}

export interface Wanted {
  readonly group: Group
  /** words that its sender or its text holds */
  readonly search: string
  /** a sender; null for all */
  readonly from: string | null
  readonly isOldestFirst: boolean
}

/** The entries that are wanted, in their order. @param tell the words of an entry, as they are shown */
export function wantedOf(
  entries: readonly Entry[],
  { group, search, from, isOldestFirst }: Wanted,
  tell: (entry: Entry) => string,
): Entry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const found = entries.filter((entry) => {
    if (groupOf(entry) !== group || (from !== null && senderOf(entry) !== from)) return false
    if (words.length === 0) return true
    const text = `${senderOf(entry)} ${tell(entry)}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return found.sort((a, b) => (isOldestFirst ? 1 : -1) * (newestOf(a) - newestOf(b)))
}

const newestOf = ({ at, latest }: Entry): number => Date.parse(latest ?? at)

/** The being that an entry is from, or tells of. */
export function senderOf({ from, content }: Pick<Entry, 'from' | 'content'>): string {
  if (from !== null) return from
  const { actor } = (content ?? {}) as { readonly actor?: unknown }
  return typeof actor === 'string' ? actor : 'TreeOS'
}

/** The entry that is open after one is closed: the next one, else the one before. */
export function nextTo(entries: readonly Entry[], correlation: string): string | undefined {
  const at = entries.findIndex((entry) => entry.correlation === correlation)
  return (entries[at + 1] ?? entries[at - 1])?.correlation
}
