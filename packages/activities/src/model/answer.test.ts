import { LIMITS, VERBS } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { parseAnswer } from './answer.ts'

const completion = (message: unknown, finish_reason: unknown = 'stop') => ({
  choices: [{ message, finish_reason }],
})
const parse = (message: unknown, finish?: unknown) => parseAnswer(completion(message, finish), VERBS)
const call = (name: unknown, args: unknown) => ({
  type: 'function',
  function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
})
const called = (name: unknown, args: unknown, content: unknown = null) =>
  parse({ content, tool_calls: [call(name, args)] })
const failure = (message: unknown = expect.any(String)) => ({ kind: 'failure', code: 'LLM_FAILED', message })
/** A failure that its model may mend when it is told. */
const miscall = (message: unknown) => ({ ...failure(message), miscall: true })

/** Stands in arguments that cannot be read, and wherever a provider may write; no failure may show it. */
const SENTINEL = 'SENTINEL-7f3a'

describe('each tool call becomes its verb', () => {
  it.each([
    ['see', { address: '@owl' }, { verb: 'see', address: '@owl' }],
    ['do', { operation: 'tick' }, { verb: 'do', operation: 'tick', target: null, args: {} }],
    [
      'do',
      { operation: 'tick', target: '/a', args: { n: 1 } },
      { verb: 'do', operation: 'tick', target: '/a', args: { n: 1 } },
    ],
    [
      'do',
      { operation: 'tick', target: null, args: null },
      { verb: 'do', operation: 'tick', target: null, args: {} },
    ],
    ['summon', { content: 'hi' }, { verb: 'summon', target: null, content: 'hi', inReplyTo: null }],
    [
      'summon',
      { content: { a: [1, null] }, target: '@owl' },
      { verb: 'summon', target: '@owl', content: { a: [1, null] }, inReplyTo: null },
    ],
    ['summon', { content: 0 }, { verb: 'summon', target: null, content: 0, inReplyTo: null }],
    ['be', { operation: 'birth' }, { verb: 'be', operation: 'birth', args: {} }],
    [
      'be',
      { operation: 'birth', args: { name: 'x' } },
      { verb: 'be', operation: 'birth', args: { name: 'x' } },
    ],
  ])('%s %j', (name, args, expected) => {
    expect(called(name, args)).toEqual({
      decision: { kind: 'call', call: expected, content: null },
      ignoredCalls: 0,
    })
  })

  it.each([
    [
      'summon',
      { content: 'hi', inReplyTo: 'c1', orientation: 'half', expectReply: false },
      { inReplyTo: 'c1', orientation: 'half', expectReply: false },
    ],
    ['summon', { content: 'hi', inReplyTo: null, expectReply: null }, { inReplyTo: null }],
  ])('takes what answers, looks back and announces: %s %j', (name, args, expected) => {
    expect(called(name, args).decision).toEqual({
      kind: 'call',
      call: { verb: 'summon', target: null, content: 'hi', ...expected },
      content: null,
    })
  })

  const SUMMON = 'target, content, inReplyTo, orientation, expectReply'
  it.each([
    ['see', {}, ': address is missing; it takes a text'],
    ['see', { address: 1 }, ': address is 1; it takes a text'],
    ['see', { address: null }, ': address is missing; it takes a text'],
    [
      'see',
      { address: '@owl', depth: 2 },
      ': "depth" is not an argument of see; it takes address, addresses',
    ],
    ['do', { target: '/a' }, ': operation is missing; it takes a text'],
    ['do', { operation: ['tick'] }, ': operation is ["tick"]; it takes a text'],
    ['do', { operation: 'tick', target: 3 }, ': target is 3; it takes a text'],
    ['do', { operation: 'tick', args: [] }, ': args is []; it takes an object'],
    ['do', { operation: 'tick', args: '{' }, ': args is "{"; it takes an object'],
    [
      'do',
      { operation: 'tick', driver: 'x' },
      ': "driver" is not an argument of do; it takes target, operation, args',
    ],
    ['summon', { target: '@owl' }, ': content is missing; it takes what to say'],
    ['summon', { content: 'hi', target: {} }, ': target is {}; it takes a text'],
    ['summon', { content: '' }, ': content is missing; it takes what to say'],
    ['summon', { content: null }, ': content is missing; it takes what to say'],
    ['summon', { content: 'hi', verb: 'do' }, `: "verb" is not an argument of summon; it takes ${SUMMON}`],
    ['summon', { content: 'hi', role: 'a:b' }, `: "role" is not an argument of summon; it takes ${SUMMON}`],
    [
      'summon',
      { content: 'hi', orientation: 'up' },
      ': orientation is "up"; it takes one of forward, half, inward',
    ],
    ['summon', { content: 'hi', expectReply: 'no' }, ': expectReply is "no"; it takes true or false'],
    ['summon', { content: 'hi', inReplyTo: 7 }, ': inReplyTo is 7; it takes a text'],
    ['be', { args: {} }, ': operation is missing; it takes a text'],
    ['be', { operation: true }, ': operation is true; it takes a text'],
    ['be', { operation: 'birth', args: 'x' }, ': args is "x"; it takes an object'],
  ])('is a failure that names the argument which is not one: %s %j', (name, args, says) => {
    expect(called(name, args).decision).toEqual(miscall(`model called ${name}${says}`))
  })

  it('quotes an argument short, and without invisible characters', () => {
    const { decision } = called('see', { ['\u202e\u0007\u{1f600}'.padEnd(200, 'x')]: 1 })
    expect(decision).toEqual(
      miscall(
        expect.stringMatching(
          /^model called see: "\\u202e\\u0007\\ud83d\\ude00x{1,80}\.\.\. is [\x20-\x7e]+$/,
        ),
      ),
    )
  })
})

describe('a malformed call is a failure that quotes nothing', () => {
  const deep = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  const CALL_ROOM = LIMITS.contentBytesMax - '{"content":"","verb":"summon"}'.length
  it.each([
    ['not JSON', `{"address": ${SENTINEL}`],
    ['empty', ''],
    ['null', 'null'],
    ['an array', `["${SENTINEL}"]`],
    ['a string', `"${SENTINEL}"`],
    ['trailing text', `{"address":"@owl"} ${SENTINEL}`],
    ['__proto__', `{"address":"@owl","__proto__":{"${SENTINEL}":1}}`],
    ['constructor', '{"address":"@owl","constructor":{"prototype":{}}}'],
    ['__proto__ further down', '{"content":{"a":[{"__proto__":1}]}}'],
    ['NUL', '{"address":"@owl\\u0000"}'],
    ['a NUL in a key', '{"content":{"\\u0000":1}}'],
    ['a lone surrogate', '{"content":"\\ud800"}'],
    ['negative zero', '{"content":-0}'],
    ['a number beyond numbers', '{"content":1e999}'],
    ['nesting one too deep', `{"content":${deep(LIMITS.contentDepthMax)}}`],
    ['nesting far too deep', `{"content":${deep(50_000)}}`],
    ['one byte too many', JSON.stringify({ content: 'x'.repeat(CALL_ROOM + 1) })],
  ])('%s', (_, args) => {
    const { decision } = called(args.includes('address') ? 'see' : 'summon', args)
    expect(decision).toEqual(
      miscall(expect.stringMatching(/^model called (see|summon) with arguments that are /)),
    )
    expect(JSON.stringify(decision)).not.toContain(SENTINEL)
  })

  it.each([
    ['NUL', '{"content":"a\\u0000"}', 'a NUL character is refused'],
    ['half of a pair', '{"content":"\\ud83d"}', 'a lone surrogate cannot be stored as UTF-8'],
    ['negative zero', '{"content":-0}', 'negative zero has no canonical form'],
    ['a number beyond numbers', '{"content":1e400}', 'it is too large for a number of JSON'],
    ['an integer beyond 2^53', '{"content":9007199254740993}', /^an integer beyond 2\^53 loses digits/],
    ['a key of prototypes', '{"content":{"constructor":1}}', 'this key is refused everywhere'],
    ['bytes', `{"content":"${'x'.repeat(CALL_ROOM + 1)}"}`, '65537 bytes, at most 65536 are taken'],
  ])('says that it has %s', (_, args, why) => {
    const start = 'model called summon with arguments that are refused: '
    const { decision } = called('summon', args)
    const { message } = decision as { readonly message: string }
    expect(message.startsWith(start)).toBe(true)
    if (typeof why === 'string') expect(message.slice(start.length)).toBe(why)
    else expect(message.slice(start.length)).toMatch(why)
  })

  it('takes what is just within bounds', () => {
    const content = 'x'.repeat(CALL_ROOM)
    expect(called('summon', { content }).decision).toMatchObject({ kind: 'call' })
    const nested = `{"content":${deep(LIMITS.contentDepthMax - 1)}}`
    expect(called('summon', nested).decision).toMatchObject({ kind: 'call' })
  })

  it('keeps bidirectional and control characters as they are: they are words, and shown by whoever shows them', () => {
    const content = 'a\u202eb\u001b[31mc'
    expect(called('summon', { content }).decision).toMatchObject({ kind: 'call', call: { content } })
  })

  it.each([
    'fly',
    'DO',
    'do ',
    ' do',
    'dо',
    'summon\u0000',
    '',
    '__proto__',
    'constructor',
    SENTINEL,
    null,
    4,
    undefined,
  ])('no tool is called %j', (name) => {
    expect(called(name, { operation: 'tick' }).decision).toEqual(
      miscall(
        expect.stringMatching(
          /^model called a tool that does not exist: [\x20-\x7e]+; it has see, do, summon, be$/,
        ),
      ),
    )
  })

  it('names the tool that does not exist, and those that do', () => {
    const tool_calls = [call('dance', {})]
    expect(parseAnswer(completion({ tool_calls }), ['do']).decision).toEqual(
      miscall('model called a tool that does not exist: "dance"; it has do'),
    )
    expect(parseAnswer(completion({ tool_calls }), []).decision).toEqual(
      miscall('model called a tool that does not exist: "dance"; it has no tools'),
    )
  })

  it.each([
    [[null]],
    [[SENTINEL]],
    [[{}]],
    [[{ type: 'custom', custom: { name: 'do' } }]],
    [[{ function: 'do' }]],
  ])('no call is shaped %j', (tool_calls) => {
    expect(parse({ content: null, tool_calls }).decision).toEqual(
      miscall('model called a tool that does not exist: undefined; it has see, do, summon, be'),
    )
  })

  it('says when it was the tokens that ended', () => {
    const tool_calls = [call('summon', '{"content":"once upon')]
    expect(parse({ tool_calls }, 'length').decision).toEqual(
      miscall('model ran out of tokens while it called summon'),
    )
    expect(parse({ tool_calls: [call('see', { address: '/' })] }, 'length').decision).toMatchObject({
      kind: 'call',
    })
  })
})

describe('prose', () => {
  it.each([
    ['prose without a call is a see', { content: 'hm' }, { kind: 'see', content: 'hm' }],
    [
      'a list of texts is prose',
      { content: [{ type: 'text', text: 'h' }, 'm'] },
      { kind: 'see', content: 'hm' },
    ],
    ['neither is a see', { content: null }, { kind: 'see', content: null }],
    ['white space is neither', { content: ' \n' }, { kind: 'see', content: null }],
    ['no content at all is neither', {}, { kind: 'see', content: null }],
    ['no calls in a list is neither', { content: null, tool_calls: [] }, { kind: 'see', content: null }],
    ['no list of calls is neither', { content: null, tool_calls: null }, { kind: 'see', content: null }],
    ['a refusal is prose', { content: null, refusal: 'I will not' }, { kind: 'see', content: 'I will not' }],
  ])('%s', (_, message, decision, finish?: string) => {
    expect(parse(message, finish)).toEqual({ decision, ignoredCalls: 0 })
  })

  it('becomes the content of the act it came with', () => {
    expect(called('do', { operation: 'tick' }, 'I tick.').decision).toMatchObject({
      kind: 'call',
      content: 'I tick.',
    })
    expect(called('do', { operation: 'tick' }, '  ').decision).toMatchObject({ kind: 'call', content: null })
  })

  it.each([
    ['see', []],
    ['call', [call('see', { address: '/' })]],
  ])('is bounded beside a %s', (kind, tool_calls) => {
    const content = 'x'.repeat(LIMITS.contentBytesMax - 2) // its JSON has two quotes
    expect(parse({ content, tool_calls }).decision.kind).toBe(kind)
    expect(parse({ content: `${content}x`, tool_calls }).decision).toEqual(
      failure(expect.stringMatching(/^model's prose is refused: 65537 bytes, at most 65536 are taken$/)),
    )
    expect(parse({ content: `${SENTINEL}\u0000`, tool_calls }).decision).toEqual(
      failure(expect.not.stringContaining('7f3a')),
    )
  })
})

describe('only the first call counts', () => {
  it('the others are dropped and counted', () => {
    const tool_calls = [call('see', { address: '/a' }), call('do', { operation: 'x' }), call('fly', SENTINEL)]
    expect(parse({ content: null, tool_calls })).toEqual({
      decision: { kind: 'call', call: { verb: 'see', address: '/a' }, content: null },
      ignoredCalls: 2,
    })
  })

  it('a bad first call is not mended by a good second one', () => {
    const tool_calls = [call('fly', {}), call('see', { address: '/a' })]
    expect(parse({ content: null, tool_calls })).toMatchObject({ decision: failure(), ignoredCalls: 1 })
  })

  it('10,000 calls are one', () => {
    const tool_calls = Array.from({ length: 10_000 }, () => call('see', { address: '/a' }))
    expect(parse({ content: null, tool_calls })).toMatchObject({
      decision: { kind: 'call' },
      ignoredCalls: 9999,
    })
  })
})

describe('an answer that cannot be read is a failure', () => {
  it.each([
    null,
    undefined,
    SENTINEL,
    7,
    [],
    {},
    { error: { message: SENTINEL } },
    { choices: null },
    { choices: {} },
    { choices: [] },
    { choices: [null] },
    { choices: [{}] },
    { choices: [{ message: null }] },
    { choices: [{ message: SENTINEL }] },
    { choices: [{ message: [] }] },
    completion({ content: 3 }),
    completion({ content: [7] }),
    completion({ content: null, tool_calls: { 0: call('see', { address: '/' }) } }),
    completion({ content: null, tool_calls: SENTINEL }),
    completion({ content: SENTINEL }, 'content_filter'),
    completion({ content: null, tool_calls: [call('see', { address: '/' })] }, 'content_filter'),
  ])('%j', (value) => {
    const answer = parseAnswer(value, VERBS)
    expect(answer).toEqual({ decision: failure(), ignoredCalls: 0 })
    expect(JSON.stringify(answer)).not.toContain(SENTINEL)
  })
})

describe('calls after the first', () => {
  const write = (name: string, args: unknown) => ({ function: { name, arguments: JSON.stringify(args) } })
  const find = (text: string) => write('do', { operation: 'shop:find', args: { text } })
  const furtherOf = (...tool_calls: unknown[]) => parse({ content: null, tool_calls }).further
  it('are told where each names an operation, and can be read', () => {
    expect(furtherOf(find('a'), find('b'))).toMatchObject([{ verb: 'do', operation: 'shop:find' }])
    expect(furtherOf(find('a'))).toBeUndefined()
    expect(furtherOf(find('a'), write('see', { address: '/' }))).toBeUndefined()
    expect(furtherOf(find('a'), find('b'), write('do', {}))).toBeUndefined()
  })
})
