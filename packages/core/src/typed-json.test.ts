import json5 from 'json5'
import { describe, expect, it } from 'vitest'
import { readTypedJson, readTypedValue, TypedJsonError } from './typed-json.ts'

const read = (text: string) => readTypedJson(text, () => json5)

function faultOf(text: string): TypedJsonError {
  try {
    read(text)
  } catch (error) {
    if (error instanceof TypedJsonError) return error
    throw error
  }
  throw new Error(`${text} was taken`)
}

describe('the notation of the sources', () => {
  it('is read as it stands: a flow with comments, unquoted keys, trailing commas and its assignment', () => {
    const flow = `// of the judge
qualities.roleFlow = [
  // Primary clauses — first match wins.
  { when: { verb: "summon", "caller.role": "human" },
    role: "human-conversationalist" },
  { role: 'court-watcher' }, // terminal default
  { stack: true, when: { "time.sinceLastMoment": { gte: 60 } },
    role: "emotions:bored" },
];`
    expect(read(flow)).toEqual([
      { when: { verb: 'summon', 'caller.role': 'human' }, role: 'human-conversationalist' },
      { role: 'court-watcher' },
      { stack: true, when: { 'time.sinceLastMoment': { gte: 60 } }, role: 'emotions:bored' },
    ])
  })

  it.each([
    'name: "worker", prompt: () => "You are a worker",',
    "name: 'worker', prompt: async () => `You are a worker`,",
    'name: "worker", prompt: ctx => "You are a worker",',
    'name: "worker", prompt(ctx) { return "You are a worker" },',
    'name: "worker", prompt: function () { return "" },',
    'name: "worker", "prompt": (ctx, { me }) => me.name,',
  ])('names what is code in {%s}', (fields) => {
    const { line, column, message } = faultOf(`{\n  ${fields}\n}`)
    expect([line, column, message]).toEqual([
      2,
      fields.indexOf('prompt') + 3,
      'prompt is code; only an extension brings code: write the text that it returns, in quotes',
    ])
  })

  it.each(['{a: NaN}', '[-Infinity]'])('refuses %s, which JSON has no number for', (text) => {
    expect(faultOf(text)).toMatchObject({
      isSyntax: false,
      message: expect.stringContaining('no number for'),
    })
  })

  it('takes no name of a prototype for one', () => {
    expect(Object.getPrototypeOf(read('{__proto__: {a: 1},}'))).toBe(Object.prototype)
  })
})

it.each([
  ['calm', 'calm'],
  ['trueish', 'trueish'],
  ['12 monkeys', '12 monkeys'],
  ["it's", "it's"],
  ['true', true],
  ['12', 12],
  ['-1.5', -1.5],
  ['"12"', '12'],
  ['{"a": [1]}', { a: [1] }],
  ["{a: ['b'],}", { a: ['b'] }],
  ['null', null],
])('%j is %j where any JSON may stand', (text, value) => {
  expect(readTypedValue(text, () => json5)).toEqual(value)
})

it.each(['{a: 1', '[1,', '"a'])('%j is no text, since it begins as JSON', (text) => {
  expect(() => readTypedValue(text, () => json5)).toThrow('it ends here')
})
