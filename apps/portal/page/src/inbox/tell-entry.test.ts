import { expect, it } from 'vitest'
import { summaryOf, wordsOf } from '../words/tell.ts'
import { tellEntry } from './tell-entry.ts'

it.each([
  [{ text: 'ok', iban: 'X1' }, 'ok\n{"iban":"X1"}'],
  [{ text: 'ok' }, 'ok'],
  [{ message: 'hi', text: '' }, 'hi\n{"text":""}'],
  [{ iban: 'X1' }, '{"iban":"X1"}'],
  ['plain', 'plain'],
  [null, 'null'],
])('%j is told whole: %s', (content, words) => {
  expect(wordsOf(content)).toBe(words)
})

it('of what TreeOS tells the summary is enough, of what a being says it is not', () => {
  const content = { summary: 'a budget was met', event: 'told' }
  expect(summaryOf(content)).toBe('a budget was met')
  expect(tellEntry({ correlation: 'x', from: null, content })).toBe('a budget was met')
  expect(tellEntry({ correlation: 'x', from: '@kid', content })).toBe('a budget was met\n{"event":"told"}')
})
