import { expect, it } from 'vitest'
import { seed } from '../index.ts'
import { argumentsSchema, needsArguments } from './arguments-schema.ts'

const operation = (name: string, args: Record<string, string>, schema?: object) => ({
  name,
  args,
  ...(schema === undefined ? {} : { schema: schema as never }),
})
const rule = operation(
  'court:rule',
  { ruling: 'the decision (string)' },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      ruling: { type: 'string', minLength: 1, maxLength: 2000, description: 'the\u2028decision' },
    },
    required: ['ruling'],
  },
)
const adjourn = operation('court:adjourn', {})
const odd = operation('odd:thing', { what: 'anything' })
const closed = { type: 'object', required: [], additionalProperties: false }

it('the arguments of one action are its own, in words that all servers take', () => {
  const schema = {
    type: 'object',
    properties: { ruling: { type: 'string', description: 'the decision' } },
    required: ['ruling'],
    additionalProperties: false,
  }
  expect(argumentsSchema([rule])).toEqual(schema)
  expect(needsArguments(schema)).toBe(true)
})

it('those of several are a choice, each under the name of its action', () => {
  const both = argumentsSchema([rule, adjourn])
  expect(both).toMatchObject({
    anyOf: [{ description: 'of court:rule' }, { description: 'of court:adjourn', ...closed }],
  })
  expect(needsArguments(both as never)).toBe(false)
})

it('there are none where no action takes any, and anything may be given where one tells them in words alone', () => {
  expect(argumentsSchema([adjourn])).toBe('none')
  expect(argumentsSchema([odd])).toBeNull()
  expect(argumentsSchema([rule, odd])).toBeNull()
})

it('an operation of the substrate takes what its arguments are called', () => {
  const set = seed.operations.filter(({ name }) => name === 'set-space')
  expect(argumentsSchema(set)).toMatchObject({
    properties: {
      field: { type: 'string' },
      value: { anyOf: expect.any(Array) },
      merge: { type: 'boolean' },
    },
    required: ['field', 'value'],
  })
  expect(argumentsSchema([operation('other:set-space', { field: 'x' })])).toBeNull()
})

it.each([...seed.operations, ...seed.beOperations].map((operation) => [operation.name, operation] as const))(
  'a model is held to the arguments of %s',
  (_name, operation) => {
    expect(argumentsSchema([operation])).not.toBeNull()
  },
)

it('a schema that a server may not take, or that is very long, is left out', () => {
  const of = (property: object) =>
    argumentsSchema([operation('x:y', { a: 'a' }, { type: 'object', properties: { a: property } })])
  expect(of({ oneOf: [{ type: 'string' }] })).toBeNull()
  expect(of({ $ref: '#/x' })).toBeNull()
  expect(of({ enum: Array.from({ length: 1000 }, (_, i) => `value ${i}`) })).toBeNull()
  expect(of({ anyOf: [{ type: 'string' }, { oneOf: [] }] })).toBeNull()
  expect(of({ anyOf: [{ type: 'string' }, { type: 'null' }] })).toMatchObject({
    properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
  })
  expect(of({ description: 'anything' })).toMatchObject({
    properties: { a: { description: 'anything', anyOf: expect.any(Array) } },
  })
  expect(of({ const: 7 })).toMatchObject({ properties: { a: { enum: [7] } } })
  expect(
    of({ type: 'array', items: { type: 'object', properties: { b: { type: 'number' } } } }),
  ).toMatchObject({
    properties: {
      a: { items: { properties: { b: { type: 'number' } }, required: [], additionalProperties: false } },
    },
  })
})
