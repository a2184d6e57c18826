import { expect, it } from 'vitest'
import { answeredText, owedText } from './owed-text.ts'

const asked = { id: 'q', from: '@ada', to: '@desk' }
const forAda = (id: string, to: string) => ({ id, from: '@desk', to, for: 'q' })

it.each([
  ['nobody owes anything', [], undefined, []],
  ['one being was asked', [asked], '@ada', ['@desk works for you.']],
  [
    'it asked two others for its asker',
    [asked, forAda('b', '@billing'), forAda('l', '@legal')],
    '@bob',
    ['@billing works for @desk, who works for @ada.', '@legal works for @desk, who works for @ada.'],
  ],
  [
    'who reads it was asked, and asks back',
    [{ id: 'c', from: '@clerk', to: '@desk', for: 'b' }, forAda('b', '@clerk'), asked],
    '@clerk',
    ['@desk works for you, who work for @desk, who works for @ada.'],
  ],
  ['the first question may not be read', [forAda('b', '@billing')], undefined, ['@billing works for @desk.']],
  [
    'the record goes round in a circle',
    [
      { ...asked, for: 'b' },
      { ...forAda('b', '@billing'), for: 'c' },
      { id: 'c', from: '@x', to: '@y', for: 'b' },
      { id: 'd', from: '@y', to: '@z', for: 'c' },
    ],
    undefined,
    [
      '@desk works for @ada, who works for @desk, who works for @x, who works for @desk, who works for @x.',
      '@z works for @y, who works for @x, who works for @desk, who works for @x, who works for @desk.',
    ],
  ],
])('where %s, it says for whom each works', (_, owed, me, told) => {
  expect(owedText(owed, me)).toEqual(told)
})

it('an answer tells the beginning of its question, where that may be read', () => {
  const question = { id: 'q', content: `What\ndo I owe ${'and why '.repeat(20)}?`, inReplyTo: null }
  const answer = { id: 'a', content: '42', inReplyTo: 'q' }
  expect(answeredText(answer, [question, answer])).toMatch(/^What do I owe and why .{50,60} …$/)
  expect(answeredText(answer, [answer])).toBeNull()
  expect(answeredText(question, [question])).toBeNull()
})
