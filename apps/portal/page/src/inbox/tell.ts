import { askedIn, type Entry } from './entry.ts'

/** An entry in one line of words. */
export function tellEntry(entry: Pick<Entry, 'correlation' | 'content'>): string {
  const asked = askedIn(entry)
  if (asked !== null) return `wants to ${wordsOfCall(asked.call)} on ${asked.on}`
  return wordsOf(entry.content)
}

/** The words of a content: the text in it where it has one. */
export function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content
  const { text, message, summary } = (content ?? {}) as Readonly<Record<string, unknown>>
  const words = [text, message, summary].find((one) => typeof one === 'string' && one !== '')
  return typeof words === 'string' ? words : JSON.stringify(content)
}

/** A call in words: `till:pay (euros 40)`. */
export function wordsOfCall(call: unknown): string {
  const { verb, action, operation, args, payload } = (call ?? {}) as Readonly<Record<string, unknown>>
  const name = action ?? operation
  const said = Object.entries((args ?? payload ?? {}) as Record<string, unknown>).map(
    ([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return `${typeof name === 'string' ? name : String(verb)}${said.length === 0 ? '' : ` (${said.join(', ')})`}`
}
