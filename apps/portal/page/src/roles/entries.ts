/** An entry of a can* list: a literal, or an object that expands to several. */
export type ListEntry = string | Readonly<Record<string, string>>

/** An entry as a chip shows it. A literal that could be read as something else is quoted. */
export function textOfEntry(entry: ListEntry): string {
  if (typeof entry !== 'string') return JSON.stringify(entry)
  return /^\s*["{]/.test(entry) || entry !== entry.trim() ? JSON.stringify(entry) : entry
}

/**
 * The entry that somebody typed. Text that is not JSON of an entry is a literal, which the check may refuse.
 */
export function entryOfText(text: string): ListEntry {
  const typed = text.trim()
  if (!/^["{]/.test(typed)) return typed
  try {
    const value: unknown = JSON.parse(typed)
    if (typeof value === 'string') return value
    if (typeof value === 'object' && value !== null) return value as ListEntry
  } catch {
    return typed // half typed
  }
  return typed
}
