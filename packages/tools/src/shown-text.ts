/**
 * Line breaks, controls, and characters that show nothing: tags, fillers, zero width, direction, variants.
 */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{1D159}]/gv
const SPACES = /[\s\u0085]+/gu

/**
 * What a server says of itself, in one line in which everything shows. A prompt lists each operation on a
 * line of its own, so no text can pass as the line of another one, or as a heading.
 */
export const shownText = (text: string): string =>
  text
    .replace(SPACES, ' ')
    .trim()
    .replace(UNSEEN, (found) =>
      [...Array(found.length).keys()]
        .map((i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`)
        .join(''),
    )
