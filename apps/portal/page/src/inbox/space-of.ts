import type { InboxEntry } from './entry.ts'

/** Where an event of TreeOS says what it is about: a call, a change, a look. */
const PLACES = ['on', 'space', 'address', 'target'] as const

/** The space that an entry is about; null where it names none. Words of a being are no address. */
export function spaceOf({ from, content }: Pick<InboxEntry, 'from' | 'content'>): string | null {
  if (from !== null || typeof content !== 'object' || content === null) return null
  const said = content as Readonly<Record<string, unknown>>
  const found = PLACES.map((place) => said[place]).find(
    (value) => typeof value === 'string' && value.startsWith('/'),
  )
  return (found as string | undefined) ?? null
}
