import { expect, it } from 'vitest'
import { checkWorld } from './shape.ts'

const withNumber = (number: string): unknown =>
  JSON.parse(`{"treeos": 1, "signals": {"a": {"values": {"n": ${number}}}}}`)

it.each([
  ['9007199254740993', 'an integer beyond 2^53 loses digits'],
  ['1e400', 'it is too large for a number of JSON'],
  ['-0', 'negative zero has no canonical form'],
  ['"a\\u0000"', 'a NUL character is refused'],
  ['"\\ud83d"', 'a lone surrogate cannot be stored as UTF-8'],
])('a world with %s is refused by its place', (value, words) => {
  expect(checkWorld(withNumber(value))).toEqual({
    fault: {
      path: [],
      message: expect.stringContaining(`$["signals"]["a"]["values"]["n"]: ${words}`),
    },
  })
})

it('a world with an integer up to 2^53 is taken', () => {
  expect(checkWorld(withNumber('9007199254740991'))).toMatchObject({
    value: { signals: { a: { values: { n: 9007199254740991 } } } },
  })
})
