import fc from 'fast-check'
import { expect, it } from 'vitest'
import { TreeosError } from './error.ts'
import type { JsonObject } from './json.ts'
import { VERBS } from './stack.ts'
import { addressesOf, type VerbCall } from './wake.ts'
import { namedVerb, readNamedCall, readWrittenCall, type ShownNames } from './written-call.ts'

const word = fc.constantFrom(
  ...[
    'bo',
    '@bo',
    'Bo',
    'clerk',
    '/clerk',
    'rule',
    'court:rule',
    'a_b',
    'a-b',
    'x:a-b',
    'birth',
    'end-being',
    '',
    '~',
  ],
)
const value = fc.oneof(
  word,
  fc.constantFrom(null, true, 7, '{"name":"bo"}', '{"target":"@eve"}'),
  fc.string(),
)
const key = fc.oneof(
  fc.constantFrom(
    ...['target', 'action', 'args', 'payload', 'operation', 'content', 'address', 'inReplyTo', 'orientation'],
    ...[
      'expectReply',
      'priority',
      'role',
      'overlay',
      'thread',
      'channel',
      'verb',
      'ruling',
      'name',
      '__proto__',
    ],
  ),
  word,
)
const written = fc.dictionary(key, fc.oneof(value, fc.dictionary(key, value, { maxKeys: 3 })), { maxKeys: 6 })
const shown: fc.Arbitrary<ShownNames> = fc.record({
  addresses: fc.array(fc.constantFrom('@bo', '@clerk', '/clerk', '/bo', 'matter:bo'), { maxLength: 4 }),
  doOperations: fc.constantFrom(
    new Map([
      ['court:rule', ['ruling']],
      ['x:a-b', ['name', 'target']],
    ]),
    new Map(),
  ),
  beOperations: fc.constantFrom(new Map([['birth', ['name']]]), new Map()),
})

/** Fields by which a program says more than a model may. */
const OF_PROGRAMS = ['priority', 'role', 'overlay', 'thread', 'channel']

/**
 * Nothing of a call may come from elsewhere than from what was written or shown: then no generous reading can
 * widen what a mind reaches.
 */
function expectNothingNew(
  call: VerbCall,
  name: string,
  given: JsonObject,
  { addresses, doOperations, beOperations }: ShownNames,
) {
  const text = JSON.stringify([name, given])
  const isWritten = (part: string) => text.includes(JSON.stringify(part).slice(1, -1))
  for (const field of OF_PROGRAMS) expect(call).not.toHaveProperty(field)
  const targets = call.verb === 'see' ? addressesOf(call) : call.verb === 'be' ? [] : [call.target]
  for (const target of targets)
    if (target !== null) expect(isWritten(target) || addresses.includes(target)).toBe(true)
  if (call.verb === 'do') expect(isWritten(call.operation) || doOperations.has(call.operation)).toBe(true)
  if (call.verb === 'be') expect(isWritten(call.operation) || beOperations.has(call.operation)).toBe(true)
}

it('a call as it was read holds the verb of its tool, and nothing that was neither written nor shown', () => {
  fc.assert(
    fc.property(fc.constantFrom(...VERBS), written, shown, (verb, given, told) => {
      const call = orNull(() => readWrittenCall(verb, given as JsonObject, told))
      if (call === null) return
      expect(call.verb).toBe(verb)
      expectNothingNew(call, '', given as JsonObject, told)
    }),
  )
})

it('a tool with the name of an operation reads as a call of this operation, or not at all', () => {
  fc.assert(
    fc.property(word, written, shown, (name, given, told) => {
      const verb = namedVerb(name, told)
      const call = orNull(() => readNamedCall(name, given as JsonObject, told))
      if (call === null) return
      expect(call.verb).toBe(verb)
      const done = call.verb === 'do' ? call.operation : call.verb === 'be' ? call.operation : ''
      expect(told.doOperations.has(done) || told.beOperations.has(done)).toBe(true)
      expectNothingNew(call, name, given as JsonObject, told)
    }),
  )
})

function orNull(read: () => VerbCall): VerbCall | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof TreeosError) return null
    throw error
  }
}
