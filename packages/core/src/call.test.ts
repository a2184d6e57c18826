import { describe, expect, it } from 'vitest'
import { parseCall, parseDecision } from './call.ts'
import { callParameters, MODEL_FIELDS } from './call-shape.ts'

const faultOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    return `${(error as { code?: string }).code}: ${(error as Error).message}`
  }
  throw new Error('nothing was refused')
}

const PRIORITY = 'one of human, interactive, background'
const ORIENTATION = 'one of forward, half, inward'

describe('parseCall', () => {
  it('fills in what a call leaves out, and takes null for it', () => {
    expect(parseCall({ verb: 'do', operation: 'move' })).toEqual({
      verb: 'do',
      operation: 'move',
      target: null,
      args: {},
    })
    expect(parseCall({ verb: 'do', operation: 'move', target: null, args: null })).toEqual(
      parseCall({ verb: 'do', operation: 'move' }),
    )
    expect(parseCall({ verb: 'be', operation: 'birth', args: null })).toEqual({
      verb: 'be',
      operation: 'birth',
      args: {},
    })
    expect(parseCall({ verb: 'summon', content: 'hi', thread: null, channel: null })).toEqual({
      verb: 'summon',
      target: null,
      content: 'hi',
      inReplyTo: null,
    })
  })

  it.each([
    [
      { verb: 'do', action: 'move', target: '/a' },
      { verb: 'do', operation: 'move', target: '/a', args: {} },
    ],
    [
      { verb: 'do', action: 'move', payload: { n: 1 } },
      { verb: 'do', operation: 'move', target: null, args: { n: 1 } },
    ],
    [
      { verb: 'be', operation: 'birth', payload: { name: 'x' } },
      { verb: 'be', operation: 'birth', args: { name: 'x' } },
    ],
    [
      { verb: 'be', action: 'birth', payload: null },
      { verb: 'be', operation: 'birth', args: {} },
    ],
  ])('reads %j, which has the other names of its fields', (written, call) => {
    expect(parseCall(written)).toEqual(call)
  })

  it.each([
    [{ verb: 'do', operation: 'move', action: 'move' }, 'operation and action are the same; give operation'],
    [{ verb: 'be', operation: 'birth', args: {}, payload: {} }, 'args and payload are the same; give args'],
  ])('refuses %j, which has a field under both of its names', (written, says) => {
    expect(faultOf(() => parseCall(written))).toBe(`INVALID_INPUT: ${says}`)
  })

  it('takes every field of a summon', () => {
    const call = {
      verb: 'summon',
      target: '@ann',
      content: { any: ['json'] },
      inReplyTo: 'c1',
      priority: 'background',
      role: 'judge',
      orientation: 'inward',
      thread: 't1',
      channel: 'c2',
    }
    expect(parseCall(call)).toEqual(call)
  })

  it.each([
    [{ address: '/a' }, { address: '/a' }],
    [{ addresses: ['/a'] }, { address: '/a' }],
    [{ address: '/a', addresses: ['/b', '/a'] }, { addresses: ['/a', '/b'] }],
    [{ addresses: ['/b', '@a', '/b'] }, { addresses: ['/b', '@a'] }],
  ])('reads a look at %j as one at each address once', (written, read) => {
    expect(parseCall({ verb: 'see', ...written })).toEqual({ verb: 'see', ...read })
  })

  it.each([
    [7, 'the call is 7; it takes an object with a verb'],
    [{ verb: 'see' }, 'address is missing; it takes a text'],
    [{ verb: 'see', address: null }, 'address is null; it takes a text'],
    [{ verb: 'see', address: '' }, 'address is ""; it takes a text'],
    [{ verb: 'see', addresses: [] }, 'address is missing; it takes a text'],
    [{ verb: 'see', addresses: '/a' }, 'addresses is "/a"; it takes a list of texts'],
    [{ verb: 'see', addresses: ['/a', 7] }, 'addresses is ["/a",7]; it takes a list of texts'],
    [
      { verb: 'see', addresses: Array.from({ length: 9 }, (_, i) => `/a${i}`) },
      'a look takes at most 8 addresses, not 9',
    ],
    [{ verb: 'do' }, 'operation is missing; it takes a text'],
    [{ verb: 'do', operation: 'move', target: 7 }, 'target is 7; it takes a text'],
    [{ verb: 'do', operation: 'move', args: [] }, 'args is []; it takes an object'],
    [{ verb: 'be', operation: null }, 'operation is null; it takes a text'],
    [{ verb: 'be', operation: 'birth', args: 'x' }, 'args is "x"; it takes an object'],
    [{ verb: 'summon' }, 'content is missing; it takes what to say'],
    [{ verb: 'summon', content: null }, 'content is null; it takes what to say'],
    [{ verb: 'summon', content: '' }, 'content is ""; it takes what to say'],
    [{ verb: 'summon', content: 'hi', priority: 'soon' }, `priority is "soon"; it takes ${PRIORITY}`],
    [{ verb: 'summon', content: 'hi', priority: null }, `priority is null; it takes ${PRIORITY}`],
    [{ verb: 'summon', content: 'hi', role: 'No Role' }, 'role is "No Role"; it takes the name of a role'],
    [{ verb: 'summon', content: 'hi', role: null }, 'role is null; it takes the name of a role'],
    [{ verb: 'summon', content: 'hi', orientation: 'up' }, `orientation is "up"; it takes ${ORIENTATION}`],
    [{ verb: 'summon', content: 'hi', orientation: null }, `orientation is null; it takes ${ORIENTATION}`],
    [{ verb: 'summon', content: 'hi', target: '' }, 'target is ""; it takes a text'],
    [{ verb: 'summon', content: 'hi', inReplyTo: 7 }, 'inReplyTo is 7; it takes a text'],
    [{ verb: 'summon', content: 'hi', thread: '' }, 'thread is ""; it takes a text'],
    [{ verb: 'summon', content: 'hi', channel: 7 }, 'channel is 7; it takes a text'],
  ])('refuses %j', (call, says) => {
    expect(faultOf(() => parseCall(call))).toBe(`INVALID_INPUT: ${says}`)
  })

  it.each([
    ['summon', ['content', 'priority', 'role', 'orientation', 'target', 'inReplyTo', 'thread', 'channel']],
    ['do', ['operation', 'target', 'args']],
    ['be', ['operation', 'args']],
  ])('names the faults of a %s in a fixed order', (verb, order) => {
    const right: Record<string, string> = { content: 'hi', operation: 'birth' }
    const options: Record<string, string> = { priority: 'human', role: 'judge', orientation: 'forward' }
    const call: Record<string, unknown> = { verb, ...Object.fromEntries(order.map((name) => [name, ''])) }
    for (const name of order) {
      expect(faultOf(() => parseCall(call))).toContain(`INVALID_INPUT: ${name} is ""`)
      call[name] = right[name] ?? options[name] ?? null
    }
    expect(parseCall(call)).toMatchObject({ verb })
  })

  it('refuses an unknown verb, and a value beyond the bounds', () => {
    expect(faultOf(() => parseCall({ verb: 'fly' }))).toBe(
      'VERB_NOT_SUPPORTED: verb "fly" is not one of see, do, summon, be',
    )
    expect(faultOf(() => parseCall({ verb: 'see', address: 'x'.repeat(70_000) }))).toMatch(
      /^PAYLOAD_TOO_LARGE: call: /,
    )
    expect(faultOf(() => parseCall({ verb: 'see', address: () => 0 }))).toMatch(/^INVALID_INPUT: call: /)
  })
})

describe('parseDecision', () => {
  it('reads a call, a see and a failure', () => {
    expect(parseDecision({ kind: 'see' })).toEqual({ kind: 'see', content: null })
    expect(parseDecision({ kind: 'call', call: { verb: 'see', address: '/' }, content: 'so' })).toEqual({
      kind: 'call',
      call: { verb: 'see', address: '/' },
      content: 'so',
    })
    const failure = { kind: 'failure', code: 'INTERNAL', message: 'why' }
    expect(parseDecision(failure)).toEqual(failure)
  })

  it.each([
    [null, 'the decision is null; it takes an object with a kind'],
    [{}, 'kind is missing; it takes one of call, see, failure'],
    [{ kind: 'fly' }, 'kind is "fly"; it takes one of call, see, failure'],
    [{ kind: 'fly', content: 7 }, 'content is 7; it takes a text'],
    [{ kind: 'see', content: '' }, 'content is ""; it takes a text'],
    [{ kind: 'call', call: null }, 'the call is null; it takes an object with a verb'],
    [{ kind: 'failure' }, 'code is missing; it takes a text'],
    [{ kind: 'failure', code: 'INTERNAL', message: null }, 'message is null; it takes a text'],
  ])('refuses %j', (decision, says) => {
    expect(faultOf(() => parseDecision(decision))).toBe(`INVALID_INPUT: ${says}`)
  })
})

describe('callParameters', () => {
  it('describes the shown fields in their order', () => {
    const { properties, ...rest } = callParameters('do', MODEL_FIELDS.do)
    expect(rest).toEqual({ type: 'object', required: ['operation'], additionalProperties: false })
    expect(Object.entries(properties)).toEqual([
      ['target', { type: 'string', description: '@name or /path; where I am when left out' }],
      ['operation', { type: 'string', description: 'the operation' }],
      ['args', { type: 'object', description: 'its arguments', additionalProperties: true }],
    ])
  })

  it('takes another description, and another word on whether a field may be left out', () => {
    const target = { description: 'whom', required: true }
    expect(callParameters('summon', ['target', 'priority'], { target })).toEqual({
      type: 'object',
      properties: {
        target: { type: 'string', description: 'whom' },
        priority: {
          type: 'string',
          description: 'how soon it is answered',
          enum: ['human', 'interactive', 'background'],
        },
      },
      required: ['target'],
      additionalProperties: false,
    })
  })

  it('is typed to the fields of its verb', () => {
    // @ts-expect-error a see has no target
    expect(() => callParameters('see', ['target'])).toThrow(TypeError)
  })
})
