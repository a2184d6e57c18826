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
