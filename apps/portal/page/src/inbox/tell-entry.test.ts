import { expect, it } from 'vitest'
import { wordsOf } from '../words/tell.ts'
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

it('of what happened the sentence of the server is told, of what a being says all', () => {
  const content = { summary: 'a budget was met', event: 'told' }
  const entry = { correlation: 'x', content, text: 'A budget was met.' }
  expect(tellEntry({ ...entry, from: null })).toBe('A budget was met.')
  expect(tellEntry({ ...entry, from: '@kid' })).toBe('a budget was met\n{"event":"told"}')
})
