import type { Json } from '@treeos/core'
import { expect, it } from 'vitest'
import { type ArgumentSchema, fitsSchema, schemaText } from './argument-schema.ts'

const POINT: ArgumentSchema = {
  type: 'object',
  properties: { x: { type: 'integer', minimum: 0, maximum: 9 } },
  required: ['x'],
  additionalProperties: false,
}
const NAMES: ArgumentSchema = {
  type: 'array',
  items: { type: 'string', minLength: 1 },
  minItems: 1,
  maxItems: 2,
}

it.each<[ArgumentSchema, string, Json[], Json[]]>([
  [{}, 'any JSON', [null, 1, 'a', [], {}], []],
  [{ type: 'string' }, 'a text', ['', 'a'], [null, 1, [], {}]],
  [{ type: 'string', minLength: 1 }, 'a text', ['a', '😀'], ['']],
  [{ type: 'string', maxLength: 2 }, 'a text of at most 2 characters', ['ab', '😀😀'], ['abc']],
  [{ type: 'string', enum: ['day', 'total'] }, 'one of day, total', ['day'], ['week', 1, null]],
  [{ type: 'boolean' }, 'true or false', [true, false], ['true', 0, null]],
  [{ type: 'number', minimum: 0 }, 'a number from 0', [0, 0.5], [-0.1, '1']],
  [{ type: 'integer', minimum: 1, maximum: 3 }, 'a whole number from 1 to 3', [1, 3], [0, 4, 1.5, '1']],
  [{ type: 'null' }, 'null', [null], [0, '', false]],
  [NAMES, 'an array', [['a'], ['a', 'b']], [[], ['a', 'b', 'c'], [''], 'a', {}]],
  [POINT, 'an object', [{ x: 0 }, { x: 9 }], [{}, { x: 10 }, { x: 1, y: 1 }, [], 'x']],
  [{ type: 'object' }, 'an object', [{}, { any: 1 }], [null, []]],
  [{ anyOf: [POINT, { type: 'null' }] }, 'an object, or null', [{ x: 1 }, null], [{ x: -1 }, 1]],
])('%j takes %s', (schema, words, right, wrong) => {
  expect(schemaText(schema)).toBe(words)
  expect(right.filter((value) => !fitsSchema(schema, value))).toEqual([])
  expect(wrong.filter((value) => fitsSchema(schema, value))).toEqual([])
})

it('a name that every object inherits is no property of a schema', () => {
  expect(fitsSchema(POINT, JSON.parse('{"x": 1, "constructor": 2}') as Json)).toBe(false)
  expect(fitsSchema({ ...POINT, required: ['toString'] }, { x: 1 })).toBe(false)
})
