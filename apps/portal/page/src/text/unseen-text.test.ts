import { expect, it } from 'vitest'
import { escaped, pieces } from './unseen-text.ts'

it.each([
  ['right-to-left override', 'pay \u202e001', 'U+202E'],
  ['zero width space', 'ad\u200bmin', 'U+200B'],
  ['a tag character', 'hi\u{e0041}', 'U+E0041'],
  ['NUL', 'a\u0000b', 'U+0000'],
  ['a lone surrogate', 'a\ud800', 'U+D800'],
  ['a soft hyphen', 'pass\u00adword', 'U+00AD'],
  ['a variation selector', 'pay\ufe01', 'U+FE01'],
  ['one of the second plane', 'pay\u{e0155}', 'U+E0155'],
  ['a grapheme joiner', 'pa\u034fy', 'U+034F'],
  ['an inherent vowel', 'pay\u17b4', 'U+17B4'],
  ['a Mongolian selector', 'pay\u180b', 'U+180B'],
  ['a Hangul filler', 'pay\u3164', 'U+3164'],
  ['a Braille pattern without dots', 'pay\u2800', 'U+2800'],
  ['a second sign for color', '❤\ufe0f\ufe0f', 'U+FE0F'],
  ['a sign for color behind a letter', 'a\ufe0f', 'U+FE0F'],
])('%s is shown by its code', (_what, text, code) => {
  expect(pieces(text).filter(({ isUnseen }) => isUnseen)).toEqual([{ text: code, isUnseen: true }])
  const json = escaped(JSON.stringify({ text }))
  expect(pieces(json)).toEqual([{ text: json, isUnseen: false }])
  expect(JSON.parse(json)).toEqual({ text })
})

it('plain text is one piece, with its line breaks, accents and emoji', () => {
  const text = 'Grüße,\n\tdie 日本語 🌳'
  expect(pieces(text)).toEqual([{ text, isUnseen: false }])
})

it.each([
  ['an emoji of several people', '👨‍👩‍👧 and 🧑🏽‍🚀'],
  ['an emoji with a sign for color', '❤\ufe0f and ❤\ufe0f\u200d🔥 and 1\ufe0f\u20e3'],
  ['Persian with a letter that is not joined', 'می‌خواهم'],
  ['Hindi with a half letter', 'क्‍ष'],
])('%s is shown as it is', (_what, text) => {
  expect(pieces(text)).toEqual([{ text, isUnseen: false }])
  expect(escaped(text)).toBe(text)
})

it.each(['ad\u200dmin', '\u200d👨', '👨\u200d', 'a\u200cb'])(
  'a joiner that joins nothing is shown by its code: %j',
  (text) => {
    expect(pieces(text).some(({ isUnseen }) => isUnseen)).toBe(true)
  },
)
