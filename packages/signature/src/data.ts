import type { Json } from '@treeos/core'
import { type Carrier, carry, type MindWords } from './carriers.ts'

/**
 * How data stands in a prompt. One rule holds for both messages: a line that begins with `[` and a letter is
 * a heading of ours, and no value, name or text can make such a line, also not behind characters that show
 * nothing.
 * - JSON holds no line breaks within a value, and each line of a value begins with a space or a bracket.
 * - Each line of a text view begins with `| `.
 * - A name outside of JSON is written as JSON where it is not plain.
 * - A line of a role's prompt that begins with `[` gets a `\` before it. So does one that begins like another
 *   part of ours.
 * - A line of words that begins like a heading gets a `\` before it.
 */

/** Every line break that a reader knows, in a class: a program may split at more of them than a model. */
const BREAKS = String.raw`\n\v\f\r\u001c-\u001e\u0085\u2028\u2029`
const LINE_BREAK = new RegExp(String.raw`\r\n|[${BREAKS}]`, 'u')
/** A line without its break. */
const LINE = new RegExp(`[^${BREAKS}]+`, 'gu')

/**
 * What shows nothing, or has no place of its own: marks, separators, controls, what Unicode lets every reader
 * ignore, and the few letters and symbols that are drawn blank. A line that begins with them looks as if it
 * began with what follows.
 */
const BLANK = String.raw`[\p{M}\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{1D159}]`

/**
 * Line breaks that JSON leaves in a string, and characters that show nothing: tags, fillers, zero width,
 * direction, variants.
 */
const UNSEEN =
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{1D159}]--[\t\n]]/gv

const escaped = (text: string): string =>
  text.replace(UNSEEN, (found) =>
    [...Array(found.length).keys()]
      .map((i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`)
      .join(''),
  )

/** Data under a heading. @param note a sentence of ours about it */
export function viewBlock(carrier: Carrier, name: string, data: Json, note: string | null = null): MindWords {
  const body = typeof data === 'string' ? quotedData(data) : escaped(JSON.stringify(data, null, 2))
  return carry(carrier, `[${name}]\n${note === null ? '' : `${note}\n`}${body}`)
}

const quotedData = (text: string): string =>
  text
    .split(LINE_BREAK)
    .map((line) => `| ${escaped(line)}`)
    .join('\n')

/** Names, paths and entries as they are in lists. */
const PLAIN = /^[A-Za-z0-9@~/*.:_-]+( [A-Za-z0-9@~/*.:_-]+)*$/

/** A name or an address within a line of ours. */
export const inline = (text: string): string => (PLAIN.test(text) ? text : escaped(JSON.stringify(text)))

/**
 * Writes a `\` before what a line begins with, where that is taken. One who reads it takes one `\` away
 * again.
 */
const marked = (text: string, taken: RegExp): string =>
  text.replace(LINE, (line) => line.replace(taken, '$1\\$2'))

const beginning = (...taken: readonly string[]) =>
  new RegExp(String.raw`^(${BLANK}*)(\\*(?:${taken.join('|')}))`, 'v')

const HEADING = beginning(String.raw`\[${BLANK}*\p{L}`)
const PART = beginning(String.raw`\[`, 'and can:', 'The blocks that begin with a name in brackets')
const FRAME = beginning('Additionally, you are currently in this mode')

/** Words that stand for themselves: none of their lines can pass as a heading. */
export const words = (text: string): string => marked(text, HEADING)

/** The prompt of a stack. Authors of roles are trusted with words, but not to speak for the substrate. */
export const rolePrompt = kept((text) => marked(text, PART))

/** The prompt of one role of a stack: it cannot pass as another role of it. */
export const roleBody = kept((text) => marked(text, FRAME))

/**
 * Keeps what a function made of its last texts: all beings of a role have its prompt, moment after moment.
 */
function kept(make: (text: string) => string): (text: string) => string {
  const made = new Map<string, string>()
  return (text) => {
    const known = made.get(text)
    if (known !== undefined) return known
    if (made.size === TEXTS_KEPT_MAX) made.clear()
    const result = make(text)
    made.set(text, result)
    return result
  }
}
const TEXTS_KEPT_MAX = 100

/** JSON that stands for itself, in one line. */
export const bareJson = (canonical: string): string => escaped(canonical).replace(/^\[(?=[a-z])/u, '[ ')
