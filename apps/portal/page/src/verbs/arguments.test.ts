import { describe, expect, it } from 'vitest'
import { argumentFields, argumentsIn } from './arguments.ts'

const SCHEMA = {
  type: 'object',
  required: ['child', 'to'],
  properties: {
    child: { type: 'string', description: 'stance of your child' },
    to: { type: 'string', enum: ['stopped', 'failed'] },
    count: { type: 'integer' },
    asleep: { type: 'boolean' },
    tools: { type: 'array', items: { type: 'string' } },
  },
}

describe('the inputs of an operation', () => {
  it('follow its schema', () => {
    const fields = argumentFields({ args: { to: 'the new state' }, schema: SCHEMA })
    expect(fields.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
      ['child', 'text', true],
      ['to', 'choice', true],
      ['count', 'number', false],
      ['asleep', 'yes-or-no', false],
      ['tools', 'json', false],
    ])
    expect(fields[1]).toMatchObject({ choices: ['stopped', 'failed'], what: 'the new state' })
  })

  it('are free where it has none', () => {
    expect(argumentFields({ args: { coord: 'where' }, schema: null })).toEqual([
      { name: 'coord', what: 'where', kind: 'json', choices: [], isRequired: false },
    ])
  })
})

describe('what was typed', () => {
  it('is read by the kind of each input; what is empty is left out', () => {
    const fields = argumentFields({ args: {}, schema: SCHEMA })
    const values = { child: '7', to: 'failed', count: '2', asleep: 'false', tools: '["a"]' }
    expect(argumentsIn(fields, values)).toEqual({
      child: '7',
      to: 'failed',
      count: 2,
      asleep: false,
      tools: ['a'],
    })
    expect(argumentsIn(fields, { child: '' })).toEqual({})
  })

  it.each([
    [{ count: 'two' }, 'count is "two"; it takes a number'],
    [{ tools: '[1,' }, 'tools is not JSON; put text that looks like JSON between quotation marks'],
  ])('%j is refused by name', (values, says) => {
    expect(() => argumentsIn(argumentFields({ args: {}, schema: SCHEMA }), values as never)).toThrow(says)
  })
})
