import { TreeosError } from '@treeos/core'
import fc from 'fast-check'
import json5 from 'json5'
import { describe, expect, it } from 'vitest'
import { parseJsonText } from './json-text.ts'

function faultOf(text: string): TreeosError {
  try {
    parseJsonText(text, 'flow.json')
  } catch (error) {
    if (error instanceof TreeosError) return error
    throw error
  }
  throw new Error(`${text} was taken`)
}

describe('JSON that somebody wrote by hand', () => {
  it.each([
    { text: '', place: 'column 1: it ends here' },
    { text: '[1, 2', place: 'column 6: it ends here' },
    { text: '{"a" 1}', place: 'column 6: "1}" stands here' },
    { text: '[1 2]', place: 'column 4: "2]" stands here' },
    { text: '[01]', place: 'column 3: "1]" stands here' },
    { text: '[1}', place: 'column 3: "}" stands here' },
    { text: 'nul', place: 'column 4: it ends here' },
    { text: '[\n  {"role": "a"},\n  {"role": b}\n]', place: 'line 3, column 12: "b}\\n]" stands here' },
  ])('names the place of the fault in $text', ({ text, place }) => {
    expect(faultOf(text)).toMatchObject({ code: 'INVALID_INPUT', message: `flow.json is not JSON: ${place}` })
  })

  it('may begin with a byte order mark', () => {
    expect(parseJsonText('\ufeff[1]', 'a')).toEqual([1])
  })

  it('is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJsonText(text, 'a')).toEqual(JSON.parse(text))
      }),
    )
  })

  it('names a place before which everything is well, whatever character was changed', () => {
    const changed = fc.tuple(fc.json(), fc.nat(), fc.constantFrom(...'{}[],:"0a-. \\\n\u0001'))
    fc.assert(
      fc.property(changed, ([text, at, character]) => {
        const i = at % (text.length + 1)
        const broken = text.slice(0, i) + character + text.slice(i + 1)
        if (isTaken(broken)) return
        const { column, line } = faultOf(broken).detail as { column: number; line: number }
        const offset =
          broken
            .split('\n')
            .slice(0, line - 1)
            .join('\n').length +
          (line > 1 ? 1 : 0) +
          column -
          1
        expect(onlyEndsTooSoon(broken.slice(0, offset))).toBe(true)
      }),
    )
  })
})

function isTaken(text: string): boolean {
  try {
    json5.parse(text)
    return true
  } catch {
    return false
  }
}

/** The engine has no fault to find in a text but that it goes no further. */
function onlyEndsTooSoon(text: string): boolean {
  try {
    json5.parse(text)
    return true
  } catch (error) {
    return (error as Error).message.startsWith('JSON5: invalid end of input')
  }
}
