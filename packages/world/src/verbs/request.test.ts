import { expect, it } from 'vitest'
import { parseRequest } from './request.ts'

it.each([
  ['hello', null],
  ['{"say": 12345678901234567890}', null],
  ['{"do": 7}', null],
  ['{not json', null],
  ['{"be": "birth", "name": "kid"}', { verb: 'be', operation: 'birth', target: null, args: { name: 'kid' } }],
  [
    ' {"do": "x:y", "target": "@a", "n": 9007199254740991}',
    { verb: 'do', operation: 'x:y', target: '@a', args: { n: 9007199254740991 } },
  ],
  [
    '{"do": "x:y", "n": "12345678901234567890", "half": 0.5}',
    { verb: 'do', operation: 'x:y', target: null, args: { n: '12345678901234567890', half: 0.5 } },
  ],
])('%j asks for %j', (content, request) => expect(parseRequest(content)).toEqual(request))

it.each([
  ['{"do": "x:y", "n": 9007199254740993}', '$["n"]: an integer beyond 2^53 loses digits'],
  ['{"do": "x:y", "n": [-12345678901234567890]}', '$["n"][0]: an integer beyond 2^53'],
  ['{"be": "birth", "n": 1e400}', '$["n"]: it is too large for a number of JSON'],
  ['{"do": "x:y", "n": -0}', '$["n"]: negative zero has no canonical form'],
  ['{"do": "x:y", "t": "a\\u0000b"}', '$["t"]: a NUL character is refused'],
  ['{"do": "x:y", "t": "\\ud83d"}', '$["t"]: a lone surrogate cannot be stored'],
  ['{"do": "x:y", "constructor": 1}', '$["constructor"]: this key is refused everywhere'],
])('%j is refused by its place', (content, message) => {
  expect(() => parseRequest(content)).toThrow(`the request: ${message}`)
})
