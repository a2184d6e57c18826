import { CONTENT_BOUNDS, guardJson } from '@treeos/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ANSWER_BYTES_MAX, boundedAnswer } from './answer.ts'

const text = (words: string) => ({ type: 'text' as const, text: words })

describe('an answer', () => {
  it('is its texts, its structure and its links', () => {
    const link = { type: 'resource_link' as const, uri: 'file:///a', name: 'a' }
    expect(boundedAnswer({ content: [text('one'), link, text('two')], structuredContent: { n: 1 } })).toEqual(
      {
        text: 'one\ntwo',
        structured: { n: 1 },
        others: [{ type: 'link', uri: 'file:///a', name: 'a' }],
      },
    )
  })

  it('leaves out a text that repeats the structure', () => {
    expect(boundedAnswer({ content: [text('{"b":1,"a":2}')], structuredContent: { a: 2, b: 1 } })).toEqual({
      structured: { a: 2, b: 1 },
    })
  })

  it('says that the tool failed', () => {
    expect(boundedAnswer({ content: [text('no such file')], isError: true })).toEqual({
      text: 'no such file',
      isError: true,
    })
  })

  it('names what is cut, with its size', () => {
    const image = { type: 'image' as const, data: 'A'.repeat(400), mimeType: 'image/png' }
    expect(boundedAnswer({ content: [text('é'.repeat(40_000)), image] })).toEqual({
      text: expect.any(String),
      others: [{ type: 'image', mimeType: 'image/png', bytes: 300 }],
      cut: [
        'the text is cut after 16381 of 40000 characters',
        'the content of 1 images, sounds or files is left out',
      ],
    })
    expect(
      boundedAnswer({ content: [], structuredContent: { long: 'x'.repeat(ANSWER_BYTES_MAX) } }).cut,
    ).toEqual([expect.stringMatching(/^the structure is left out: .* bytes/)])
  })

  it.each<[string, unknown, object]>([
    [
      'a part of a type that nobody knows',
      { content: [{ type: 'chart', series: [] }, text('one')] },
      {
        text: 'one',
        cut: ['part 1 is left out: it has type "chart" and no text; its fields: "type", "series"'],
      },
    ],
    [
      'a part of an unknown type with a text',
      { content: [{ type: 'thinking', text: 'hm' }] },
      { text: 'hm' },
    ],
    [
      'a text that is null',
      { content: [{ type: 'text', text: null }, text('one')] },
      {
        text: 'one',
        cut: ['part 1 is left out: it has type "text" and no text; its fields: "type", "text"'],
      },
    ],
    ['a text that is bare', { content: ['one', text('two')] }, { text: 'one\ntwo' }],
    [
      'a part that is null',
      { content: [null, 5] },
      {
        cut: ['part 1 is left out: it is null', 'part 2 is left out: it is a number'],
      },
    ],
    ['content that is one text', { content: 'one' }, { text: 'one' }],
    ['content that is one part', { content: text('one') }, { text: 'one' }],
    ['no content', { task: { taskId: '1' } }, { cut: ['the answer has no content; its fields: "task"'] }],
    ['no fields', {}, { cut: ['the answer has no content; its fields: none'] }],
    ['an empty list', { content: [] }, {}],
    ['a list as structure', { content: [], structuredContent: [1, { a: 2 }] }, { structured: [1, { a: 2 }] }],
    ['a text as structure', { content: [text('"x"')], structuredContent: 'x' }, { structured: 'x' }],
    ['a structure that is null', { content: [text('one')], structuredContent: null }, { text: 'one' }],
    ['the result of the first protocol', { toolResult: { a: 1 } }, { structured: { a: 1 } }],
    [
      'a field that reaches a prototype',
      {
        content: [],
        structuredContent: JSON.parse('{"a":{"constructor":"x","__proto__":{"b":1}},"b":2}'),
      },
      {
        structured: { a: {}, b: 2 },
        cut: [
          'the field $["a"]["constructor"] is left out: its name is refused everywhere',
          'the field $["a"]["__proto__"] is left out: its name is refused everywhere',
        ],
      },
    ],
    [
      'an integer that lost digits',
      {
        content: [text('{"id":12345678901234567890}')],
        structuredContent: JSON.parse('{"id":12345678901234567890,"n":9007199254740991}'),
      },
      {
        text: '{"id":12345678901234567890}',
        structured: { id: null, n: 9007199254740991 },
        cut: [expect.stringMatching(/^the number \$\["id"\] is left out: an integer beyond 2\^53/)],
      },
    ],
    [
      'a number beyond all',
      { content: [], structuredContent: JSON.parse('[-0,1e400]') },
      {
        structured: [0, null],
        cut: ['the number $[1] is left out: it is too large for a number of JSON'],
      },
    ],
    [
      'an image without data',
      { content: [{ type: 'image', data: null, mimeType: null }] },
      {
        others: [{ type: 'image', mimeType: '', bytes: 0 }],
        cut: ['the content of 1 images, sounds or files is left out'],
      },
    ],
    [
      'a resource without content',
      { content: [{ type: 'resource', resource: { uri: 'a:b' } }] },
      {
        cut: ['part 1 is left out: it has type "resource" and no text; its fields: "type", "resource"'],
      },
    ],
    [
      'a link without a name',
      { content: [{ type: 'resource_link', uri: 'a:b' }] },
      {
        others: [{ type: 'link', uri: 'a:b', name: 'a:b' }],
      },
    ],
  ])('is read with %s', (_what, written, read) => {
    expect(boundedAnswer(written)).toEqual(read)
    guardJson(boundedAnswer(written), CONTENT_BOUNDS)
  })

  it('names few of many parts that are left out', () => {
    const { cut } = boundedAnswer({ content: Array.from({ length: 5000 }, () => null) })
    expect(cut).toHaveLength(33)
    expect((cut as string[]).at(-1)).toBe('4968 further parts are left out')
  })

  it('of any form can be recorded', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.jsonValue({ maxDepth: 40 }), (content, more) => {
        guardJson(boundedAnswer(content), CONTENT_BOUNDS)
        guardJson(boundedAnswer({ content, structuredContent: more }), CONTENT_BOUNDS)
        guardJson(boundedAnswer({ content: [content, { type: content, resource: more }] }), CONTENT_BOUNDS)
      }),
      { numRuns: 500 },
    )
  })

  it('of any text and structure can be recorded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 5000 }), fc.jsonValue(), (words, value) => {
        const answer = boundedAnswer({
          content: [text(words.repeat(20)), text(`\0${words}\ud800`)],
          structuredContent: { value },
        })
        guardJson(answer, CONTENT_BOUNDS)
      }),
      { numRuns: 200 },
    )
  })
})
