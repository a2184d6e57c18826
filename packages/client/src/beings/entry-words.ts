import { isJsonObject, type Json } from '@treeos/core'
import type { InboxEntry } from '@treeos/store'
import { toldContent } from '@treeos/world'

const SHOWN_CHARS = 140

/** What an entry says, shortened; `outside`: it comes from outside. */
export const shownWords = (entry: InboxEntry): { readonly words: string; readonly outside?: true } => ({
  words: shortenedEntry(entry),
  ...markOf(entry),
})

/** `outside` where an entry comes from outside. */
export const markOf = ({ outside }: InboxEntry) => (outside === true ? { outside } : {})

/** The texts of an entry in one line. */
export function shortenedEntry(entry: InboxEntry): string {
  const text = textsIn(toldContent(entry)).replaceAll(/\s+/g, ' ').trim()
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS).toWellFormed()} …`
}

/** All texts in JSON, without its keys. */
export function textsIn(value: Json): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map(textsIn).filter(Boolean).join(' ')
  return isJsonObject(value) ? textsIn(Object.values(value)) : ''
}
