import fc from 'fast-check'
import { expect, it } from 'vitest'
import { partialJson } from './partial.ts'
import { writtenSoFar } from './tool-call-words.ts'

it.each([
  ['{"content":"Ro', { content: 'Ro' }],
  ['{"content":"a \\"b', { content: 'a "b' }],
  ['{"content":"a\\', { content: 'a' }],
  ['{"content":"a\\u00e', { content: 'a' }],
  ['{"content":"a","target":', { content: 'a' }],
  ['{"args":{"euros":4', { args: { euros: 4 } }],
  ['{"content":{"text":"Hel', { content: { text: 'Hel' } }],
  ['{', {}],
  ['', {}],
  ['no object', {}],
  ['[1', {}],
])('%s is read as far as it goes', (text, fields) => {
  expect(partialJson(text)).toEqual(fields)
})

it('every beginning of an object shows a beginning of its words, and the whole shows all', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.nat(), (words, at) => {
      const text = JSON.stringify({ content: words, more: [1, { deep: true }] })
      const { content = '' } = partialJson(text.slice(0, at % (text.length + 1)))
      expect(
        words.startsWith(
          String(content)
            .toWellFormed()
            .replace(/\ufffd$/, ''),
        ),
      ).toBe(true)
      expect(partialJson(text).content).toBe(words)
    }),
  )
})

it('a call of a tool is told in words', () => {
  expect(writtenSoFar('summon', '{"target":"@ada","content":"Hel')).toEqual({
    says: 'Hel',
    does: 'says to @ada',
  })
  expect(writtenSoFar('summon', '{"con')).toEqual({ says: '', does: 'answers' })
  expect(writtenSoFar('do', '{"operation":"till:pay","target":"/shop","args":{"euros":4')).toEqual({
    says: '',
    does: 'does till:pay on /shop (euros 4)',
  })
  expect(writtenSoFar('see', '{"address":"/library"}')).toEqual({ says: '', does: 'looks at /library' })
  expect(writtenSoFar('till_pay', '{"euros":40')).toEqual({ says: '', does: 'uses till_pay (euros 40)' })
})
