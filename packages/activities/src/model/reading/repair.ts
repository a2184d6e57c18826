import { jsonrepair } from 'jsonrepair'

/** Longer text is no slip of a pen. Content has at most 64 KiB, and JSON may write a byte as two. */
const CHARS_MAX = 128 * 1024
const QUOTES = /["'`´‘’“”]/g

/**
 * Text that is almost JSON, as models write it: quotes of another kind, keys without quotes, a comma before
 * the end, constants of Python, lines that end within a text. What was written is kept, and only its form changes: text that was cut
 * off, or that can be read in two ways, is not repaired.
 * @returns JSON; undefined where there is no such reading
 */
export function repairJson(text: string): string | undefined {
  if (text.length > CHARS_MAX) return undefined
  try {
    const quoted = quoteKeys(text)
    const repaired = jsonrepair(quoted)
    return isOfSameParts(quoted, repaired) ? repaired : undefined
  } catch {
    return undefined // it is no JSON at all, or is nested too deep for a repair
  }
}

const PART =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[{}[\]:,]|\s+|-?\d[\d.eE+-]*|(?:true|false|null|True|False|None)(?=\s*[,}\]])|([\p{ID_Start}_$][\p{ID_Continue}$]*)(?=\s*:)/suy

/**
 * Puts quotes around the keys that have none. Only a text that consists of what JSON has, but for these keys
 * and its single quotes, has one such reading: elsewhere a colon may stand within a text that was not ended.
 * @returns any other text as it is
 */
function quoteKeys(text: string): string {
  const part = new RegExp(PART)
  let quoted = ''
  for (let before = ''; part.lastIndex < text.length; ) {
    const [found, key] = part.exec(text) ?? []
    if (found === undefined || (key !== undefined && before !== '{' && before !== ',')) return text
    quoted += key === undefined ? found : `"${key}"`
    if (found.trim() !== '') before = found
  }
  return quoted
}

/**
 * Whether two texts differ in their form alone. A repair that closes what is open, escapes a quote within a
 * text, leaves out a backslash or a comment, or puts words into quotes has guessed what was meant.
 */
const isOfSameParts = (written: string, repaired: string): boolean =>
  partsOf(written) === partsOf(repaired) && countQuotes(written) === countQuotes(repaired)

const countQuotes = (text: string): number => text.match(QUOTES)?.length ?? 0

const partsOf = (text: string): string =>
  text
    .replace(/\\(?=')/g, '')
    .replace(/\\[nrt]/g, '')
    .replace(QUOTES, '')
    .replace(/\s+/g, '')
    .replace(/,(?=[\]}])/g, '')
    .replace(/\b(?:True|False)\b/g, (word) => word.toLowerCase())
    .replace(/\bNone\b/g, 'null')
