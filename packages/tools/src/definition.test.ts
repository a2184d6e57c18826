import type { Tool } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { changesBetween, digestOfTool, readTools } from './definition.ts'

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
    ['a need of tasks', { execution: { taskSupport: 'required' } }, /task/],
  ])('is left out with the reason: %s', (_what, change, why) => {
    const tool = { ...echo, ...change } as Tool
    const { tools, leftOut } = readTools([tool])
    expect(tools).toEqual({})
    expect(Object.values(leftOut)).toEqual([expect.stringMatching(why)])
  })

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
