import { PassThrough } from 'node:stream'
import { WriteStream } from 'node:tty'
import { describe, expect, it, vi } from 'vitest'
import { coloured, duration, jsonLine, Output, oneLine, plain, prettyJson, table } from './output.ts'

const ESC = '\u001b'
const UNSEEN = [
  { what: 'an escape sequence', text: `${ESC}[2J`, shown: '\\u001b[2J' },
  { what: 'an 8-bit escape', text: '\u009b2J', shown: '\\u009b2J' },
  { what: 'a carriage return', text: 'good\rbad', shown: 'good\\u000dbad' },
  { what: 'a mark that turns the text', text: 'a\u202eb', shown: 'a\\u202eb' },
  { what: 'an isolate', text: 'a\u2066b', shown: 'a\\u2066b' },
  { what: 'a line separator', text: 'a\u2028b', shown: 'a\\u2028b' },
  { what: 'a Braille pattern without dots', text: 'ad\u2800min', shown: 'ad\\u2800min' },
  { what: 'a space without width', text: 'ad\u200bmin', shown: 'ad\\u200bmin' },
  { what: 'a joiner', text: 'a\u200db\u200cc', shown: 'a\\u200db\\u200cc' },
  { what: 'a word joiner', text: 'a\u2060b', shown: 'a\\u2060b' },
  { what: 'a soft hyphen', text: 'a\u00adb', shown: 'a\\u00adb' },
  { what: 'tags that spell a word', text: 'a\u{e0068}\u{e0069}', shown: 'a\\udb40\\udc68\\udb40\\udc69' },
  { what: 'a variation selector', text: 'a\ufe01\u{e0100}', shown: 'a\\ufe01\\udb40\\udd00' },
  { what: 'a filler', text: 'a\u3164b', shown: 'a\\u3164b' },
  { what: 'an annotation', text: 'a\ufff9b', shown: 'a\\ufff9b' },
]

describe('content of the world', () => {
  it.each(UNSEEN)('shows $what as an escape', ({ text, shown }) => {
    expect(plain(text)).toBe(shown)
  })

  it.each(UNSEEN)('holds $what as an escape in JSON, which says the same', ({ text }) => {
    const line = jsonLine({ text })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is there is the point
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\p{Cf}\p{Default_Ignorable_Code_Point}]/u)
    expect(JSON.parse(line)).toEqual({ text })
    expect(JSON.parse(prettyJson({ text }))).toEqual({ text })
  })

  it('leaves newlines, tabs, every script and emoji alone', () => {
    for (const text of ['a\n\tд — 木 سلام नमस्ते', '👍🏽 ❤️ ⚠️ 👩‍👩‍👧 🏳️‍🌈 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣']) {
      expect(plain(text)).toBe(text)
      expect(JSON.parse(jsonLine(text))).toBe(text)
    }
  })

  it('escapes what follows an emoji and is not part of it', () => {
    expect(plain('👍\u{e0061}\u200d!')).toBe('👍\\udb40\\udc61\\u200d!')
  })

  it('is escaped in a finished text, too, which keeps its colours', () => {
    const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    const green = `${ESC}[32mok${ESC}[39m`
    new Output(false).value(null, () => `${green} ad\u200bmin${ESC}[2J`)
    new Output(false).lines([null], () => 'a\u202eb')
    const lines = written.mock.calls.map(([line]) => line)
    written.mockRestore()
    expect(lines).toEqual([`${green} ad\\u200bmin\\u001b[2J\n`, 'a\\u202eb\n'])
  })

  it('is one line in a table', () => {
    expect(oneLine('a\n  b\tc')).toBe('a ⏎ b c')
  })
})

it('aligns columns and leaves no blanks at the end of a line', () => {
  expect(
    table(
      [
        ['a', 'bb', 'c'],
        ['aaa', 'b', ''],
      ],
      '  ',
    ),
  ).toBe('  a    bb  c\n  aaa  b')
})

it.each([
  { seconds: 0.0123, shown: '12 ms' },
  { seconds: 1.46, shown: '1.5 s' },
  { seconds: 45.2, shown: '45 s' },
  { seconds: 720, shown: '12 min' },
  { seconds: 108_000, shown: '30 h' },
])('$seconds s are shown as $shown', ({ seconds, shown }) => {
  expect(duration(seconds)).toBe(shown)
})

it('a table counts the places that a terminal shows: colours take none, wide characters take two', () => {
  expect(
    table([
      ['木', 'a'],
      ['\u001b[32mok\u001b[39m', 'b'],
      ['abc', 'c'],
    ]),
  ).toBe('木   a\n\u001b[32mok\u001b[39m   b\nabc  c')
})

it('colours are for terminals alone, and NO_COLOR takes them out', () => {
  const { getColorDepth } = WriteStream.prototype
  const stream = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY, getColorDepth })
  const red = (isTTY: boolean) => coloured('red', 'x', stream(isTTY) as unknown as NodeJS.WriteStream)
  vi.stubEnv('FORCE_COLOR', undefined)
  vi.stubEnv('CI', undefined) // Node takes most CI consoles for ones without colours
  vi.stubEnv('NO_COLOR', undefined)
  vi.stubEnv('TERM', 'xterm')
  expect([red(true), red(false)]).toEqual(['\u001b[31mx\u001b[39m', 'x'])
  vi.stubEnv('NO_COLOR', '1')
  expect(red(true)).toBe('x')
  vi.unstubAllEnvs()
})
