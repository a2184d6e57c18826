import { describe, expect, it } from 'vitest'
import { TreeosError } from './error.ts'
import type { JsonObject } from './json.ts'
import type { Verb } from './stack.ts'
import { namedVerb, readNamedCall, readWrittenCall, type ShownNames } from './written-call.ts'

/** A moment in which these names were told. */
const SHOWN: ShownNames = {
  addresses: ['@bo', '@clerk', '/court', '/clerk', 'matter:gavel'],
  doOperations: new Map([
    ['court:rule', ['ruling']],
    ['set-being', ['field', 'value', 'merge']],
    ['court:adjourn', []],
    ['lineage:read-file', ['path']],
    ['scout:report', ['target', 'text']],
    ['one:ring', ['times']],
    ['two:ring', ['times']],
  ]),
  beOperations: new Map([['birth', ['name', 'cognition', 'role']]]),
}
const read = (verb: Verb, written: JsonObject) => readWrittenCall(verb, written, SHOWN)
const say = (target: string | null, content: string) => ({ verb: 'summon', target, content, inReplyTo: null })
const act = (operation: string, target: string | null, args: JsonObject) => ({
  verb: 'do',
  operation,
  target,
  args,
})

describe('a call as a model writes it', () => {
  it.each<[string, Verb, JsonObject, object]>([
    // what is left out
    ['a null is left out', 'summon', { target: null, content: 'hi', inReplyTo: null }, say(null, 'hi')],
    [
      'an empty text is left out',
      'summon',
      { target: '', content: 'hi', inReplyTo: '', orientation: '', expectReply: '' },
      say(null, 'hi'),
    ],
    [
      'empty arguments are left out',
      'do',
      { operation: 'court:rule', target: '', args: '' },
      act('court:rule', null, {}),
    ],
    [
      'so are those of be',
      'be',
      { operation: 'birth', args: null, payload: '' },
      { verb: 'be', operation: 'birth', args: {} },
    ],
    // addresses
    ['a bare name of a being that was shown', 'summon', { target: 'bo', content: 'hi' }, say('@bo', 'hi')],
    ['a name in capitals', 'summon', { target: ' @Bo ', content: 'hi' }, say('@bo', 'hi')],
    ['a name as facts write it', 'summon', { target: 'being:bo', content: 'hi' }, say('@bo', 'hi')],
    [
      'a being, where a summon can mean no space',
      'summon',
      { target: 'clerk', content: 'hi' },
      say('@clerk', 'hi'),
    ],
    ['a bare name of a place', 'see', { address: 'court' }, { verb: 'see', address: '/court' }],
    [
      'a thing below its place',
      'see',
      { address: '/court/matter:gavel' },
      { verb: 'see', address: 'matter:gavel' },
    ],
    [
      'a name of a thing below its place',
      'see',
      { address: '/court/gavel' },
      { verb: 'see', address: 'matter:gavel' },
    ],
    ['a being below its place', 'see', { address: '/court/@bo' }, { verb: 'see', address: '@bo' }],
    ['a bare name of a thing', 'see', { address: 'gavel' }, { verb: 'see', address: 'matter:gavel' }],
    [
      'several addresses, one of them by its bare name',
      'see',
      { address: 'court', addresses: ['bo', '/clerk', ''] },
      { verb: 'see', addresses: ['/court', '@bo', '/clerk'] },
    ],
    [
      'several addresses as JSON text',
      'see',
      { addresses: '["court", "bo"]' },
      { verb: 'see', addresses: ['/court', '@bo'] },
    ],
    ['one address where several may be', 'see', { addresses: 'court' }, { verb: 'see', address: '/court' }],
    ['a list of one', 'see', { addresses: ['court'] }, { verb: 'see', address: '/court' }],
    ['a list of none', 'see', { address: 'court', addresses: [] }, { verb: 'see', address: '/court' }],
    ['a place as facts write it', 'see', { address: 'space:/clerk' }, { verb: 'see', address: '/clerk' }],
    [
      'an address that was not shown, as it is',
      'see',
      { address: '/elsewhere' },
      { verb: 'see', address: '/elsewhere' },
    ],
    // arguments
    [
      'arguments as JSON text',
      'do',
      { operation: 'court:rule', args: '{"ruling":"yes"}' },
      act('court:rule', null, { ruling: 'yes' }),
    ],
    [
      'text of JSON text',
      'do',
      { operation: 'court:rule', args: '"{\\"ruling\\":1}"' },
      act('court:rule', null, { ruling: 1 }),
    ],
    [
      'arguments beside the operation',
      'do',
      { operation: 'court:rule', ruling: 'yes' },
      act('court:rule', null, { ruling: 'yes' }),
    ],
    [
      'a null beside the operation, which unsets',
      'do',
      { target: '@bo', operation: 'set-being', field: 'mood.tone', value: null, args: {} },
      act('set-being', '@bo', { field: 'mood.tone', value: null }),
    ],
    [
      'arguments of an operation that takes none',
      'do',
      { operation: 'court:adjourn', args: { coord: { x: 1 } } },
      act('court:adjourn', null, {}),
    ],
    [
      'do with the other names of its fields',
      'do',
      { action: 'rule', payload: '{"ruling":1}' },
      act('court:rule', null, { ruling: 1 }),
    ],
    [
      'an argument beside a name that is called action',
      'do',
      { action: 'court:rule', ruling: 1, payload: null },
      act('court:rule', null, { ruling: 1 }),
    ],
    [
      'be with the other names of its fields',
      'be',
      { action: 'birth', payload: { name: 'x' } },
      { verb: 'be', operation: 'birth', args: { name: 'x' } },
    ],
    [
      'be with its own names',
      'be',
      { operation: 'birth', args: { name: 'x' } },
      { verb: 'be', operation: 'birth', args: { name: 'x' } },
    ],
    [
      'arguments of be beside it',
      'be',
      { operation: 'birth', name: 'x' },
      { verb: 'be', operation: 'birth', args: { name: 'x' } },
    ],
    // names of operations
    ['an operation without its prefix', 'do', { operation: 'rule' }, act('court:rule', null, {})],
    [
      'an operation with underlines',
      'do',
      { operation: 'set_being', field: 'a' },
      act('set-being', null, { field: 'a' }),
    ],
    [
      'an operation by the name of a preamble',
      'do',
      { operation: 'read_file', path: 'a.md' },
      act('lineage:read-file', null, { path: 'a.md' }),
    ],
    [
      'an operation that was not shown, as it is',
      'do',
      { operation: 'end-being', target: '@bo' },
      act('end-being', '@bo', {}),
    ],
  ])('%s', (_what, verb, written, call) => {
    expect(read(verb, written)).toEqual(call)
  })

  it.each<[string, Verb, JsonObject, RegExp]>([
    [
      'a name of a being and of a place',
      'see',
      { address: 'clerk' },
      /^address is "clerk"; it takes one of @clerk, \/clerk$/,
    ],
    [
      'an operation that two extensions bring',
      'do',
      { operation: 'ring' },
      /^operation is "ring"; it takes one of one:ring, two:ring$/,
    ],
    [
      'arguments under both names',
      'do',
      { operation: 'court:rule', args: { ruling: 1 }, payload: { ruling: 2 } },
      /give args$/,
    ],
    [
      'the same of be',
      'be',
      { operation: 'birth', args: { name: 'x' }, payload: { name: 'y' } },
      /give args$/,
    ],
    ['a name under both names', 'do', { operation: 'court:rule', action: 'set-being' }, /give operation$/],
    [
      'arguments in args and beside them',
      'do',
      { operation: 'set-being', args: { field: 'a' }, value: 1 },
      /give all arguments in args$/,
    ],
    [
      'a target that may be an argument',
      'do',
      { operation: 'scout:report', target: '@bo', text: 'x' },
      /give all arguments in args$/,
    ],
    [
      'an argument that the operation does not take',
      'do',
      { operation: 'court:rule', ruling: 1, driver: '@bo' },
      /^"ruling" is not an argument of do/,
    ],
    [
      'arguments of an unknown operation',
      'do',
      { operation: 'nothing', ruling: 1 },
      /^"ruling" is not an argument of do/,
    ],
    [
      'arguments that are a list',
      'do',
      { operation: 'court:rule', args: [{ ruling: 1 }] },
      /^args is .*; it takes an object$/,
    ],
    [
      'arguments that are other text',
      'do',
      { operation: 'court:rule', args: 'yes' },
      /^args is "yes"; it takes an object$/,
    ],
    ['nothing to say', 'summon', { target: '@bo', content: '' }, /^content is missing/],
    ['no operation', 'do', { operation: '', args: { ruling: 1 } }, /^operation is missing/],
    [
      'a field that only programs have',
      'summon',
      { content: 'hi', role: 'judge' },
      /^"role" is not an argument of summon/,
    ],
    ['a second verb', 'summon', { content: 'hi', verb: 'do' }, /^"verb" is not an argument of summon/],
    [
      'a priority',
      'summon',
      { content: 'hi', priority: 'human' },
      /^"priority" is not an argument of summon/,
    ],
  ])('refuses %s', (_what, verb, written, message) => {
    expect(faultOf(() => read(verb, written))).toMatch(message)
  })

  it('without anything shown only the strict forms are read', () => {
    const nothing: ShownNames = { addresses: [], doOperations: new Map(), beOperations: new Map() }
    expect(readWrittenCall('see', { address: 'bo' }, nothing)).toEqual({ verb: 'see', address: 'bo' })
    expect(readWrittenCall('do', { operation: 'rule' }, nothing)).toEqual(act('rule', null, {}))
    expect(faultOf(() => readWrittenCall('do', { operation: 'court:rule', ruling: 1 }, nothing))).toMatch(
      /is not an argument of do/,
    )
  })
})

describe('a tool with the name of an operation', () => {
  it.each<[string, JsonObject, object]>([
    ['court:rule', { ruling: 'yes' }, act('court:rule', null, { ruling: 'yes' })],
    ['read_file', { path: 'a.md' }, act('lineage:read-file', null, { path: 'a.md' })],
    ['set-being', { target: 'bo', field: 'a', value: 1 }, act('set-being', '@bo', { field: 'a', value: 1 })],
    ['court_rule', { args: { ruling: 'yes' } }, act('court:rule', null, { ruling: 'yes' })],
    ['scout:report', { target: 'x', text: 'y' }, act('scout:report', null, { target: 'x', text: 'y' })],
    ['birth', { name: 'x' }, { verb: 'be', operation: 'birth', args: { name: 'x' } }],
  ])('%s %j', (name, written, call) => {
    expect(readNamedCall(name, written, SHOWN)).toEqual(call)
  })

  it.each(['ring', 'fly', '', 'end-being', 'constructor'])('none is called %j', (name) => {
    expect(namedVerb(name, SHOWN)).toBeUndefined()
    expect(faultOf(() => readNamedCall(name, {}, SHOWN))).toMatch(/it takes see, do, summon or be$/)
  })

  it.each(['operation', 'action'])('it does not say twice what it does, with %s', (field) => {
    expect(faultOf(() => readNamedCall('court:rule', { [field]: 'set-being' }, SHOWN))).toMatch(
      /^operation is/,
    )
  })
})

function faultOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof TreeosError) return error.message
    throw error
  }
  throw new Error('it was not refused')
}
