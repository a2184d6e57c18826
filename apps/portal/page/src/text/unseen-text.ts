/**
 * Characters that show nothing, or change the direction of what stands beside them. Line breaks and tabs are
 * left alone.
 */
const UNSEEN =
  /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{1d159}]/u

/**
 * Characters that join what stands beside them belong to it: emoji of several parts, and letters of scripts
 * that are joined or parted by such a character. Anywhere else they would hide something.
 */
const JOINED = [
  /\p{Extended_Pictographic}(?:\ufe0f|[\u{1f3fb}-\u{1f3ff}])?\u200d(?=\p{Extended_Pictographic})/gu,
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}]\p{M}*[\u200c\u200d](?=[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}])/gu,
  /[\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gujarati}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Telugu}]\p{M}+[\u200c\u200d]/gu,
]

/**
 * One sign that asks for an emoji in color, right behind it. More of them, or behind another letter, would
 * hide something.
 */
const COLORED = /\p{Emoji}\ufe0f/gu

/** Where in the text the last character of a joined part stands. */
function joinersIn(text: string): ReadonlySet<number> {
  if (!/\u200c|\u200d|\ufe0f/.test(text)) return new Set()
  return new Set(
    [...JOINED, COLORED].flatMap((pattern) =>
      [...text.matchAll(pattern)].map((found) => found.index + found[0].length - 1),
    ),
  )
}

export interface TextPiece {
  readonly text: string
  /** true: a character that would not be seen, by its code */
  readonly isUnseen: boolean
}

/** Divides a text so that invisible characters can be shown by their codes. */
export function pieces(text: string): TextPiece[] {
  const found: TextPiece[] = []
  let plain = ''
  const flush = () => {
    if (plain !== '') found.push({ text: plain, isUnseen: false })
    plain = ''
  }
  const joiners = joinersIn(text)
  let at = 0
  for (const letter of text) {
    const isPlain = !UNSEEN.test(letter) || joiners.has(at)
    at += letter.length
    if (isPlain) {
      plain += letter
      continue
    }
    flush()
    const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    found.push({ text: `U+${code}`, isUnseen: true })
  }
  flush()
  return found
}

/** The same as one text, for where there is room for text only. */
export const seen = (text: string): string =>
  pieces(text)
    .map((piece) => piece.text)
    .join('')

/** The same JSON, with such characters written as escapes, for a field in which it is changed. */
export function escaped(json: string): string {
  const joiners = joinersIn(json)
  let at = 0
  return [...json]
    .map((letter) => {
      const isPlain = !UNSEEN.test(letter) || joiners.has(at)
      at += letter.length
      return isPlain ? letter : letter.split('').map(escapeOf).join('')
    })
    .join('')
}

/** @param unit of UTF-16: JSON writes a character beyond the first plane as two escapes */
const escapeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
