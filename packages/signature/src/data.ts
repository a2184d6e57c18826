import type { Json } from '@treeos/core'

/**
 * How data stands in a prompt. One rule holds for the whole system message: a line that begins with `[` and a letter is a
 * heading of ours, and no value, name or text can make such a line.
 * - JSON holds no line breaks within a value, and each line of a value begins with a space or a bracket.
 * - Each line of a text view begins with `| `.
 * - A name outside of JSON is written as JSON where it is not plain.
 * - A line of a role's prompt that begins with `[` gets a `\` before it.
 */

/** Line breaks that JSON leaves in a string, and characters that show nothing: tags, zero width, direction. */
const UNSEEN = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu

const escaped = (text: string): string =>
  text.replace(UNSEEN, (found) =>
    [...Array(found.length).keys()]
      .map((i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`)
      .join(''),
  )

/** A view of a see-resolver under its name. */
export function viewBlock(name: string, view: Json): string {
  const body = typeof view === 'string' ? quoted(view) : escaped(JSON.stringify(view, null, 2))
  return `[${name}]\n${body}`
}

const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/u

const quoted = (text: string): string =>
  text
    .split(LINE_BREAK)
    .map((line) => `| ${escaped(line)}`)
    .join('\n')

/** Names, paths and entries as they are in lists. */
const PLAIN = /^[A-Za-z0-9@~/*.:_-]+( [A-Za-z0-9@~/*.:_-]+)*$/

/** A name or an address within a line of ours. */
export const inline = (text: string): string => (PLAIN.test(text) ? text : escaped(JSON.stringify(text)))

/** The prompt of a role. Its author is trusted with words, but not to speak for the substrate. */
export const rolePrompt = (text: string): string =>
  text.replace(/(^|[\n\v\f\r\u0085\u2028\u2029])([\s\p{Cf}]*)\[/gu, '$1$2\\[')
