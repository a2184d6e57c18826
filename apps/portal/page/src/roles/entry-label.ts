import { t } from '../language/index.ts'
import { entryOfText, type ListEntry, textOfEntry } from './entries.ts'

/** What relations of TreeOS name, for who reads a role. Those of extensions keep their names. */
const RELATIONS: Readonly<Record<string, string>> = {
  self: t('itself'),
  asker: t('whoever asks'),
  parent: t('its maker'),
  here: t('the space where it is'),
  present: t('whoever is in the same space'),
  'any-child': t('any of its children'),
  predecessor: t('the one before it in its role'),
}

/** An entry of a list in words. A literal is a name, which says itself. */
export function entryLabel(entry: ListEntry): string {
  if (entry === '~') return t('its home')
  if (typeof entry === 'string') return textOfEntry(entry)
  const { rel, pattern, kind, resolver } = entry
  if (rel !== undefined) return RELATIONS[rel] ?? t('its {{rel}}', { rel })
  if (resolver !== undefined) return t('what {{resolver}} finds', { resolver })
  if (pattern === undefined) return textOfEntry(entry)
  return kind === undefined ? patternLabel(pattern) : t('{{kind}} “{{pattern}}”', { kind, pattern })
}

function patternLabel(pattern: string): string {
  if (pattern === '*') return t('everything')
  const place = pattern.lastIndexOf('/@')
  if (place >= 0 && !pattern.slice(0, place).includes('*')) {
    const beings = pattern.slice(place + 1)
    const where = t('in {{pattern}}', { pattern: pattern.slice(0, place) || '/' })
    return beings === '@*' ? t('any being {{where}}', { where }) : `${patternLabel(beings)} ${where}`
  }
  if (pattern === '@*') return t('any being')
  const opens = pattern.startsWith('*')
  const closes = pattern.endsWith('*')
  const literal = pattern.slice(opens ? 1 : 0, closes ? -1 : undefined)
  if (opens && closes) return t('all that hold “{{literal}}”', { literal })
  if (opens) return t('all that end with “{{literal}}”', { literal })
  return closes ? t('all that begin with “{{literal}}”', { literal }) : pattern
}

/** The entry of words that were typed, where one of those offered has them; null where none has. */
export function entryOfLabel(words: string, offered: readonly string[]): ListEntry | null {
  const wanted = words.trim().toLowerCase()
  const text = offered.find((one) => entryLabel(entryOfText(one)).toLowerCase() === wanted)
  return text === undefined ? null : entryOfText(text)
}

/** A literal with a star, which no name can be, as the pattern that was meant; null for any other entry. */
export const meantBy = (entry: ListEntry): { readonly pattern: string } | null =>
  typeof entry === 'string' && entry.includes('*') ? { pattern: entry.trim() } : null
