import { expect, it } from 'vitest'
import { escaped, pieces } from './unseen.ts'

it.each([
  ['right-to-left override', 'pay \u202e001', 'U+202E'],
  ['zero width space', 'ad\u200bmin', 'U+200B'],
  ['a tag character', 'hi\u{e0041}', 'U+E0041'],
  ['NUL', 'a\u0000b', 'U+0000'],
  ['a lone surrogate', 'a\ud800', 'U+D800'],
  ['a soft hyphen', 'pass\u00adword', 'U+00AD'],
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
