import { describe, expect, it } from 'vitest'
import { readArgs } from './arguments.ts'
import { repairJson } from './repair.ts'

describe('almost-JSON with one reading', () => {
  it.each<[what: string, written: string, read: unknown]>([
    ['single quotes', "{'address': '@owl'}", { address: '@owl' }],
    ['an escaped single quote', "{'content': 'it\\'s me'}", { content: "it's me" }],
    ['an apostrophe in double quotes', `{"content": "it's me",}`, { content: "it's me" }],
    ['quotes of a text editor', '{“content”: “hello”}', { content: 'hello' }],
    ['a comma before the end', '{"address": "@owl",}', { address: '@owl' }],
    ['a comma before the end of a list', '{"content": [1, 2,]}', { content: [1, 2] }],
    ['constants of Python', "{'a': True, 'b': False, 'c': None}", { a: true, b: false, c: null }],
    ['a line that ends within a text', '{"content": "one\ntwo"}', { content: 'one\ntwo' }],
    ['a tab within a text', '{"content": "one\ttwo"}', { content: 'one\ttwo' }],
    ['a code fence around it', "```json\n{'content': 'hi'}\n```", { content: 'hi' }],
    ['letters of any script', "{'content': 'Grüße, 世界 🙂'}", { content: 'Grüße, 世界 🙂' }],
    ['numbers', "{'a': -1.5e3, 'b': [0, 7]}", { a: -1500, b: [0, 7] }],
    ['keys without quotes', '{address: "@owl", content: "hi"}', { address: '@owl', content: 'hi' }],
    [
      'such keys and single quotes',
      "{address: '@owl', n: [1, {b: True}],}",
      { address: '@owl', n: [1, { b: true }] },
    ],
    ['such keys over lines', '{\n  address : "@owl",\n  $x_1: null\n}', { address: '@owl', $x_1: null }],
    ['a key of any script', '{größe: 3}', { größe: 3 }],
    ['a colon within a text', '{content: "look, here: {a: 1}"}', { content: 'look, here: {a: 1}' }],
    ['a key that is a constant elsewhere', '{nullable: null}', { nullable: null }],
    ['such keys in a fence', '```json\n{address: "@owl"}\n```', { address: '@owl' }],
  ])('with %s is read', (_what, written, read) => {
    expect(readArgs(written)).toEqual(read)
  })
})

describe('text that could mean more than one thing', () => {
  it.each([
    ['cut off within a text', '{"content": "hel'],
    ['cut off after a text', '{"content": "hello"'],
    ['cut off after a comma', '{"content": "hello",'],
    ['without its last quote', '{"content": "hello}'],
    ['without its first bracket', '"content": "hello"}'],
    ['with quotes within a text', '{"content": "he said "hi" to me"}'],
    ['with a quote that ends a text of Python early', `{'content': "a" b'}`],
    ['with a backslash that is no escape', '{"content": "\\d+",}'],
    ['with a path of Windows', '{"content": "C:\\Users\\ann",}'],
    ['with a comment', '{"content": "hi" /* or not */}'],
    ['with words outside quotes', '{"content": hello there}'],
    ['with a word in place of a value', '{"address": undefined}'],
    ['with a number that JSON has not', '{"content": 0x10}'],
    ['with NaN', '{"content": NaN}'],
    ['with nothing for a value', '{"content": }'],
    ['with dots in place of the rest', '{"content": [1, 2, ...]}'],
    ['with words after it', '{"address":"@owl",} and then'],
    ['with words before it', 'call: {"address":"@owl",}'],
    ['two objects', '{"a":1,}{"b":2}'],
    ['a function', 'see({"address":"@owl",})'],
    ['a missing comma', '{"a": 1 "b": 2}'],
    ['a missing colon', '{"a" 1,}'],
    ['texts put together', `{"content": "a" + "b"}`],
    ['a key without quotes and a word for a value', '{address: @owl}'],
    ['a key of two words', '{the address: "@owl"}'],
    ['a key with a hyphen', '{in-reply-to: "x"}'],
    ['a key without quotes after a text that ended early', `{content: 'it's me, ann: hi'}`],
    ['a text that ended early before what looks like a key', '{"content": "he said "hi", ann: "yes""}'],
    ['such a key and a comment', '{address: "@owl" // or not\n}'],
    ['such a key and no comma', '{a: 1 b: 2}'],
    ['such a key in a list', '[a: 1]'],
    ['such a key without brackets', 'address: "@owl"'],
    ['such a key, cut off', '{address: "@owl", content: "hel'],
    ['such a key and a number that JSON has not', '{a: 0x10}'],
    ['nothing', ''],
    ['plain words', 'Hello, I am here.'],
  ])('is not repaired: %s', (_what, written) => {
    expect(readArgs(written)).toBeUndefined()
  })

  it('is not tried where it is nested deep, or very long', () => {
    expect(repairJson(`${'['.repeat(100_000)}1,${']'.repeat(100_000)}`)).toBeUndefined()
    expect(repairJson(`{'content': '${'x'.repeat(200_000)}'}`)).toBeUndefined()
  })
})
