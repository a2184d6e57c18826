const WORDS_MAX = 8
/** What is shown around the first word that was found. */
const BEFORE_CHARS = 60
const EXCERPT_CHARS = 200

/** The words of a text that somebody searches for. */
export const searchWords = (text: string): string[] =>
  [...new Set(text.toLowerCase().split(/\s+/).filter(Boolean))].slice(0, WORDS_MAX)

/**
 * @returns the part of a text around the first of the words; null where it does not hold all of them, in
 *   letters of any case
 */
export function excerptOf(text: string, words: readonly string[]): string | null {
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word))
  if (places.includes(-1)) return null
  const first = Math.min(...places, text.length)
  const begin = first <= BEFORE_CHARS ? 0 : first - BEFORE_CHARS
  const end = begin + EXCERPT_CHARS
  const part = text.slice(begin, end).toWellFormed()
  return `${begin > 0 ? '… ' : ''}${part}${end < text.length ? ' …' : ''}`
}
