import { describe, expect, it } from 'vitest'
import { TreeosError } from './error.ts'
import type { JsonObject } from './json.ts'
import type { Verb } from './stack.ts'
import { namedVerb, readNamedCall, readWrittenCall, type Shown } from './written-call.ts'

/** A moment in which these names were told. */
const SHOWN: Shown = {
  addresses: ['@bo', '@clerk', '/court', '/clerk', 'matter:gavel'],
  actions: new Map([
    ['court:rule', ['ruling']],
    ['set-being', ['field', 'value', 'merge']],
    ['court:adjourn', []],
    ['lineage:read-file', ['path']],
    ['scout:report', ['target', 'text']],
    ['one:ring', ['times']],
    ['two:ring', ['times']],
  ]),
  operations: new Map([['birth', ['name', 'cognition', 'role']]]),
}
const read = (verb: Verb, written: JsonObject) => readWrittenCall(verb, written, SHOWN)
const say = (target: string | null, content: string) => ({ verb: 'summon', target, content, inReplyTo: null })
const act = (action: string, target: string | null, args: JsonObject) => ({
  verb: 'do',
  action,
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
      { action: 'court:rule', target: '', args: '' },
      act('court:rule', null, {}),
    ],
    [
      'so are those of be',
      'be',
      { operation: 'birth', args: null, payload: '' },
      { verb: 'be', operation: 'birth', payload: {} },
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
    ['a bare name of a thing', 'see', { address: 'gavel' }, { verb: 'see', address: 'matter:gavel' }],
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
      { action: 'court:rule', args: '{"ruling":"yes"}' },
      act('court:rule', null, { ruling: 'yes' }),
    ],
    [
      'text of JSON text',
      'do',
      { action: 'court:rule', args: '"{\\"ruling\\":1}"' },
      act('court:rule', null, { ruling: 1 }),
    ],
    [
      'arguments beside the action',
      'do',
      { action: 'court:rule', ruling: 'yes' },
      act('court:rule', null, { ruling: 'yes' }),
    ],
    [
      'a null beside the action, which unsets',
      'do',
      { target: '@bo', action: 'set-being', field: 'mood.tone', value: null, args: {} },
      act('set-being', '@bo', { field: 'mood.tone', value: null }),
    ],
    [
      'arguments of an action that takes none',
      'do',
      { action: 'court:adjourn', args: { coord: { x: 1 } } },
      act('court:adjourn', null, {}),
    ],
    [
      'do with the name that be had',
      'do',
      { action: 'court:rule', payload: { ruling: 1 } },
      act('court:rule', null, { ruling: 1 }),
    ],
    [
      'be with the name of do',
      'be',
      { operation: 'birth', args: { name: 'x' } },
      { verb: 'be', operation: 'birth', payload: { name: 'x' } },
    ],
    [
      'be with its old name',
      'be',
      { operation: 'birth', payload: { name: 'x' } },
      { verb: 'be', operation: 'birth', payload: { name: 'x' } },
    ],
    [
      'arguments of be beside it',
      'be',
      { operation: 'birth', name: 'x' },
      { verb: 'be', operation: 'birth', payload: { name: 'x' } },
    ],
    // names of actions
    ['an action without its prefix', 'do', { action: 'rule' }, act('court:rule', null, {})],
    [
      'an action with underlines',
      'do',
      { action: 'set_being', field: 'a' },
      act('set-being', null, { field: 'a' }),
    ],
    [
      'an action by the name of a preamble',
      'do',
      { action: 'read_file', path: 'a.md' },
      act('lineage:read-file', null, { path: 'a.md' }),
    ],
    [
      'an action that was not shown, as it is',
      'do',
      { action: 'end-being', target: '@bo' },
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
      'an action that two extensions bring',
      'do',
      { action: 'ring' },
      /^action is "ring"; it takes one of one:ring, two:ring$/,
    ],
    [
      'arguments under both names',
      'do',
      { action: 'court:rule', args: { ruling: 1 }, payload: { ruling: 2 } },
      /give args$/,
    ],
    [
      'the same of be',
      'be',
      { operation: 'birth', args: { name: 'x' }, payload: { name: 'y' } },
      /give args$/,
    ],
    [
      'arguments in args and beside them',
      'do',
      { action: 'set-being', args: { field: 'a' }, value: 1 },
      /give all arguments in args$/,
    ],
    [
      'a target that may be an argument',
      'do',
      { action: 'scout:report', target: '@bo', text: 'x' },
      /give all arguments in args$/,
    ],
    [
      'an argument that the action does not take',
      'do',
      { action: 'court:rule', ruling: 1, driver: '@bo' },
      /^"ruling" is no argument of do/,
    ],
    [
      'arguments of an unknown action',
      'do',
      { action: 'nothing', ruling: 1 },
      /^"ruling" is no argument of do/,
    ],
    [
      'arguments that are a list',
      'do',
      { action: 'court:rule', args: [{ ruling: 1 }] },
      /^args is .*; it takes an object$/,
    ],
    [
      'arguments that are other text',
      'do',
      { action: 'court:rule', args: 'yes' },
      /^args is "yes"; it takes an object$/,
    ],
    ['nothing to say', 'summon', { target: '@bo', content: '' }, /^content is missing/],
    ['no action', 'do', { action: '', args: { ruling: 1 } }, /^action is missing/],
    [
      'a field that only programs have',
      'summon',
      { content: 'hi', role: 'judge' },
      /^"role" is no argument of summon/,
    ],
    ['a second verb', 'summon', { content: 'hi', verb: 'do' }, /^"verb" is no argument of summon/],
    ['a priority', 'summon', { content: 'hi', priority: 'human' }, /^"priority" is no argument of summon/],
  ])('refuses %s', (_what, verb, written, message) => {
    expect(faultOf(() => read(verb, written))).toMatch(message)
  })

  it('without anything shown only the strict forms are read', () => {
    const nothing: Shown = { addresses: [], actions: new Map(), operations: new Map() }
    expect(readWrittenCall('see', { address: 'bo' }, nothing)).toEqual({ verb: 'see', address: 'bo' })
    expect(readWrittenCall('do', { action: 'rule' }, nothing)).toEqual(act('rule', null, {}))
    expect(faultOf(() => readWrittenCall('do', { action: 'court:rule', ruling: 1 }, nothing))).toMatch(
      /is no argument of do/,
    )
  })
})

describe('a tool with the name of an action', () => {
  it.each<[string, JsonObject, object]>([
    ['court:rule', { ruling: 'yes' }, act('court:rule', null, { ruling: 'yes' })],
    ['read_file', { path: 'a.md' }, act('lineage:read-file', null, { path: 'a.md' })],
    ['set-being', { target: 'bo', field: 'a', value: 1 }, act('set-being', '@bo', { field: 'a', value: 1 })],
    ['court_rule', { args: { ruling: 'yes' } }, act('court:rule', null, { ruling: 'yes' })],
    ['scout:report', { target: 'x', text: 'y' }, act('scout:report', null, { target: 'x', text: 'y' })],
    ['birth', { name: 'x' }, { verb: 'be', operation: 'birth', payload: { name: 'x' } }],
  ])('%s %j', (name, written, call) => {
    expect(readNamedCall(name, written, SHOWN)).toEqual(call)
  })

  it.each(['ring', 'fly', '', 'end-being', 'constructor'])('none is called %j', (name) => {
    expect(namedVerb(name, SHOWN)).toBeUndefined()
    expect(faultOf(() => readNamedCall(name, {}, SHOWN))).toMatch(/it takes see, do, summon or be$/)
  })

  it('it does not say twice what it does', () => {
    expect(faultOf(() => readNamedCall('court:rule', { action: 'set-being' }, SHOWN))).toMatch(/^action is/)
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
