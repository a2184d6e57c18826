import { filesIn } from './files-in.ts'

/** The words of a content: the text in it where it has one, and behind it all else that it holds. */
export function wordsOf(content: unknown): string {
  const key = wordedIn(content)
  if (key === null) return typeof content === 'string' ? content : JSON.stringify(content)
  // files are shown beneath the words
  const { [key]: words, files, ...more } = content as Readonly<Record<string, unknown>>
  const rest = filesIn(content).length > 0 || files === undefined ? more : { files, ...more }
  return Object.keys(rest).length === 0 ? String(words) : `${words}\n${JSON.stringify(rest)}`
}

const wordedIn = (content: unknown): string | null => {
  const said = typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : {}
  return (
    ['text', 'message', 'summary'].find((key) => typeof said[key] === 'string' && said[key] !== '') ?? null
  )
}

/** The addresses of a look, in words. */
export const placesOf = (call: object): string =>
  ['address', 'addresses']
    .flatMap((field) => (call as Record<string, string | string[]>)[field] ?? [])
    .join(', ')

/** A call in words: `till:pay (euros 40)`. */
export function callText(call: unknown): string {
  const { verb, operation, args } = (call ?? {}) as Readonly<Record<string, unknown>>
  const said = Object.entries((args ?? {}) as Record<string, unknown>).map(
    ([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return `${typeof operation === 'string' ? operation : String(verb)}${said.length === 0 ? '' : ` (${said.join(', ')})`}`
}
