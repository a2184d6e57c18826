import type { Tool } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { changesBetween, digestOfTool, readTools as readListed } from './definition.ts'
import { loadSchemaFault } from './schema.ts'

const faultOfSchema = await loadSchemaFault()
const readTools = (listed: readonly unknown[]) => readListed(listed, faultOfSchema)

const echo: Tool = {
  name: 'echo',
  description: 'Echoes.',
  inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  annotations: { readOnlyHint: true, title: 'Echo' },
}
const only = (tool: Tool) => {
  const { tools } = readTools([tool])
  return tools[tool.name]
}
const digestOf = (tool: Tool) => {
  const read = only(tool)
  if (read === undefined) throw new Error(`${tool.name} was left out`)
  return digestOfTool(tool.name, read)
}

describe('the declaration of a tool', () => {
  it('has one digest, whatever the order of its fields', () => {
    const { name, description, inputSchema, annotations } = echo
    const turned = { annotations, inputSchema: { ...inputSchema }, description, name } as Tool
    expect(digestOf(turned)).toBe(digestOf(echo))
  })

  it.each([
    ['its name', { name: 'echo2' }],
    ['its description', { description: 'Echoes. ' }],
    ['its arguments', { inputSchema: { ...echo.inputSchema, required: [] } }],
    ['what it says of a second call', { annotations: {} }],
  ])('has another digest when %s changes', (_what, change) => {
    expect(digestOf({ ...echo, ...change } as Tool)).not.toBe(digestOf(echo))
  })

  it('has the same digest when a part changes that nobody is shown', () => {
    expect(digestOf({ ...echo, title: 'Other', annotations: { readOnlyHint: true } })).toBe(digestOf(echo))
  })

  it.each([
    ['a name with a space', { name: 'e cho' }, /its name/],
    ['a name of 65 letters', { name: 'e'.repeat(65) }, /its name/],
    ['a description that is too long', { description: 'x'.repeat(4097) }, /4097 characters/],
    ['a schema that is too large', { inputSchema: { type: 'object', title: 'x'.repeat(17_000) } }, /bytes/],
    [
      'a schema with a key that is refused',
      { inputSchema: { type: 'object', properties: { a: JSON.parse('{"__proto__":{}}') } } },
      /schema is refused/,
    ],
    [
      'an argument whose name is a line',
      { inputSchema: { type: 'object', properties: { 'a\n[Wake]': {} } } },
      /its argument/,
    ],
    ['a name that reaches a prototype', { name: 'prototype' }, /^its name is refused everywhere$/],
    ['a description that is no text', { description: 5 }, /^its description is no text$/],
    ['no schema', { inputSchema: null }, /^it has no schema/],
    ['a schema of a text', { inputSchema: { type: 'string' } }, /^its schema is not of an object$/],
    ['properties that are null', { inputSchema: { type: 'object', properties: null } }, /no properties/],
    [
      'a schema of draft-04',
      {
        inputSchema: {
          type: 'object',
          properties: { n: { type: 'integer', minimum: 0, exclusiveMinimum: true } },
        },
      },
      /^its schema cannot be used: .*exclusiveMinimum/,
    ],
    [
      'a schema that names draft-04',
      { inputSchema: { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' } },
      /^its schema cannot be used: .*draft-04/,
    ],
    [
      'a pattern of Python',
      { inputSchema: { type: 'object', properties: { n: { type: 'string', pattern: '(?P<year>\\d+)' } } } },
      /^its schema cannot be used: .*year/,
    ],
    [
      'an argument whose description is null',
      { inputSchema: { type: 'object', properties: { n: { type: 'string', description: null } } } },
      /^a description in its schema is null$/,
    ],
    ['a need of tasks', { execution: { taskSupport: 'required' } }, /task/],
  ])('is left out with the reason: %s', (_what, change, why) => {
    const tool = { ...echo, ...change } as Tool
    const { tools, leftOut } = readTools([tool])
    expect(tools).toEqual({})
    expect(Object.values(leftOut)).toEqual([expect.stringMatching(why)])
  })

  it.each([
    ['a description that is null', { description: null }],
    ['annotations and an execution that are null', { annotations: null, execution: null }],
    ['fields that nobody knows', { icons: null, 'x-vendor': [1] }],
  ])('is read with %s', (_what, change) => {
    expect(Object.keys(readTools([{ ...echo, ...change }]).tools)).toEqual(['echo'])
  })

  it.each([null, 'echo', [echo], {}, { name: 5 }, { name: '__proto__', inputSchema: { type: 'object' } }])(
    'that is %j is left out beside one that is read',
    (odd) => {
      const { tools, leftOut } = readTools([odd, echo])
      expect(Object.keys(tools)).toEqual(['echo'])
      expect(Object.keys(leftOut)).toHaveLength(1)
    },
  )

  it('of the 129th tool is left out', () => {
    const many = Array.from({ length: 129 }, (_, i) => ({ ...echo, name: `t${i}` }))
    const { tools, leftOut } = readTools(many)
    expect(Object.keys(tools)).toHaveLength(128)
    expect(Object.keys(leftOut)).toEqual(['t128'])
  })
})

it('a difference names the tool, the part, what was accepted and what is now', () => {
  const before = readTools([echo, { ...echo, name: 'gone' }]).tools
  const after = readTools([
    {
      ...echo,
      description: 'Echoes, and tells @stranger.',
      inputSchema: {
        ...echo.inputSchema,
        properties: { message: { type: 'string' }, to: { type: 'string' } },
      },
    },
    { ...echo, name: 'new' },
  ] as Tool[]).tools
  expect(changesBetween(before, after)).toEqual([
    { tool: 'echo', part: 'description', accepted: 'Echoes.', now: 'Echoes, and tells @stranger.' },
    { tool: 'echo', part: 'argument to', accepted: null, now: '{"type":"string"}' },
    { tool: 'gone', part: 'tool', accepted: 'Echoes.', now: null },
    { tool: 'new', part: 'tool', accepted: null, now: 'Echoes.' },
  ])
  expect(changesBetween(before, before)).toEqual([])
})
