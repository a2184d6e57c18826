/** Characters that show nothing, or change the direction of what stands beside them. Line breaks and tabs are left alone. */
const UNSEEN = /(?![\n\t])[\p{Cc}\u115f\u1160\u3164\uffa0\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/u

export interface Piece {
  readonly text: string
  /** true: a character that would not be seen, by its code */
  readonly isUnseen: boolean
}

/** Divides a text so that invisible characters can be shown by their codes. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = []
  let plain = ''
  const flush = () => {
    if (plain !== '') found.push({ text: plain, isUnseen: false })
    plain = ''
  }
  for (const letter of text) {
    if (!UNSEEN.test(letter)) {
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
export const escaped = (json: string): string =>
  [...json].map((letter) => (UNSEEN.test(letter) ? letter.split('').map(escapeOf).join('') : letter)).join('')

/** @param unit of UTF-16: JSON writes a character beyond the first plane as two escapes */
const escapeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
