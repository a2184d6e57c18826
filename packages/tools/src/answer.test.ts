import { CONTENT_BOUNDS, guardJson } from '@treeos/core'
import type { KeepBrought } from '@treeos/sdk'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ANSWER_BYTES_MAX, boundedAnswer as boundedBy } from './answer.ts'

/** Keeps nothing, as where a being has given too much. */
const full: KeepBrought = async () => ({ why: 'there is no room' })
const boundedAnswer = (answer: unknown, keep = full) => boundedBy(answer, keep)

const text = (words: string) => ({ type: 'text' as const, text: words })

describe('an answer', () => {
  it('is its texts, its structure and its links', async () => {
    const link = { type: 'resource_link' as const, uri: 'file:///a', name: 'a' }
    const answer = { content: [text('one'), link, text('two')], structuredContent: { n: 1 } }
    expect(await boundedAnswer(answer)).toEqual({
      text: 'one\ntwo',
      structured: { n: 1 },
      others: [{ type: 'link', uri: 'file:///a', name: 'a' }],
    })
  })

  it('leaves out a text that repeats the structure', async () => {
    expect(
      await boundedAnswer({ content: [text('{"b":1,"a":2}')], structuredContent: { a: 2, b: 1 } }),
    ).toEqual({
      structured: { a: 2, b: 1 },
    })
  })

  it('says that the tool failed', async () => {
    expect(await boundedAnswer({ content: [text('no such file')], isError: true })).toEqual({
      text: 'no such file',
      isError: true,
    })
  })

  it('names what is cut, with its size', async () => {
    const image = { type: 'image' as const, data: 'A'.repeat(400), mimeType: 'image/png' }
    expect(await boundedAnswer({ content: [text('é'.repeat(40_000)), image] })).toEqual({
      text: expect.any(String),
      others: [{ type: 'image', mimeType: 'image/png', bytes: 300 }],
      cut: [
        'the text is cut after 16381 of 40000 characters',
        'part 2, which is an image, is not kept: there is no room',
      ],
    })
    const { cut } = await boundedAnswer({
      content: [],
      structuredContent: { long: 'x'.repeat(ANSWER_BYTES_MAX) },
    })
    expect(cut).toEqual([expect.stringMatching(/^the structure is left out: .* bytes/)])
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
        others: [{ type: 'image', bytes: 0 }],
        cut: ['part 1, which is an image, is not kept: its data is not base64'],
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
  ])('is read with %s', async (_what, written, read) => {
    expect(await boundedAnswer(written)).toEqual(read)
    guardJson(await boundedAnswer(written), CONTENT_BOUNDS)
  })

  it('names few of many parts that are left out', async () => {
    const { cut } = await boundedAnswer({ content: Array.from({ length: 5000 }, () => null) })
    expect(cut).toHaveLength(33)
    expect((cut as string[]).at(-1)).toBe('4968 further parts are left out')
  })

  it('of any form can be recorded', async () => {
    const any = fc.jsonValue({ stringUnit: 'binary' })
    await fc.assert(
      fc.asyncProperty(any, fc.jsonValue({ maxDepth: 40 }), async (content, more) => {
        const parts = [content, { type: content, resource: more }, { type: 'image', data: content }]
        for (const answer of [content, { content, structuredContent: more }, { content: parts }])
          guardJson(await boundedAnswer(answer), CONTENT_BOUNDS)
      }),
      { numRuns: 500 },
    )
  })

  it('of any text and structure can be recorded', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 5000 }),
        fc.jsonValue(),
        async (words, value) => {
          const answer = await boundedAnswer({
            content: [text(words.repeat(20)), text(`\0${words}\ud800`)],
            structuredContent: { value },
          })
          guardJson(answer, CONTENT_BOUNDS)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('the files of an answer', () => {
  const base64 = (words: string) => Buffer.from(words).toString('base64')
  /** What it was asked to keep, and the answer. */
  async function keptOf(content: readonly object[]) {
    const asked: { name: string; mediaType: string | null; words: string }[] = []
    const answer = await boundedAnswer({ content }, async ({ name, mediaType, bytes }) => {
      const words = Buffer.from(bytes).toString()
      asked.push({ name, mediaType, words })
      return words === 'large' ? { why: 'it is large' } : { thing: `matter:${words}` }
    })
    return { asked, answer }
  }

  it('are its images, sounds and binary resources, each once, named after their address or type', async () => {
    const { asked, answer } = await keptOf([
      text('See:'),
      { type: 'image', mimeType: 'image/png', data: base64('a') },
      { type: 'audio', mimeType: 'audio/x-odd+y', data: base64('b') },
      { type: 'resource', resource: { uri: 'file:///sums/May.pdf?v=2', blob: base64('c') } },
      { type: 'resource', resource: { uri: 'a:b', text: 'plain' } },
      { type: 'image', mimeType: 'image/png', data: base64('a') },
    ])
    expect(asked.map(({ name, mediaType }) => [name, mediaType])).toEqual([
      ['image-2.png', 'image/png'],
      ['audio-3', 'audio/x-odd+y'],
      ['May.pdf', null],
      ['image-6.png', 'image/png'],
    ])
    expect(answer).toEqual({ text: 'See:\nplain', files: ['matter:a', 'matter:b', 'matter:c'] })
  })

  it('that are not kept are told by type and size, with the reason; the others stay', async () => {
    const { answer } = await keptOf([
      { type: 'image', mimeType: 'image/png', data: base64('large') },
      { type: 'image', mimeType: 'image/png', data: 'no base64!' },
      { type: 'resource', resource: { uri: 'x:/y', mimeType: 'a/b', blob: base64('large') } },
      { type: 'image', mimeType: 'image/png', data: base64('a') },
    ])
    expect(answer).toEqual({
      files: ['matter:a'],
      others: [
        { type: 'image', mimeType: 'image/png', bytes: 5 },
        { type: 'image', mimeType: 'image/png', bytes: 0 },
        { type: 'blob', uri: 'x:/y', mimeType: 'a/b', bytes: 5 },
      ],
      cut: [
        'part 1, which is an image, is not kept: it is large',
        'part 2, which is an image, is not kept: its data is not base64',
        'part 3, which is a file, is not kept: it is large',
      ],
    })
  })
})
