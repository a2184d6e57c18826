import { expect, it } from 'vitest'
import { argsOfCheck, readCheck } from './check.ts'

const lost = { args: { path: '/a', content: 'kept' }, key: 'r/clerk/1/2' }
const rule = { tool: 'read', args: { path: '$path', ids: ['$$key', 'x'] }, happened: '$content' }

it('a check gets arguments of the lost call and its key', () => {
  expect(argsOfCheck(rule, lost)).toEqual({ path: '/a', ids: ['r/clerk/1/2', 'x'] })
})

it.each([
  ['holds what was to happen', rule, { text: 'it is kept here' }, 'happened'],
  ['does not hold it', rule, { text: 'empty' }, 'did-not-happen'],
  ['is an error', rule, { text: 'kept?', isError: true }, 'unknown'],
  [
    'is an error that says it did not',
    { ...rule, didNotHappen: 'ENOENT' },
    { text: 'ENOENT: no file', isError: true },
    'did-not-happen',
  ],
  ['says neither', { ...rule, didNotHappen: 'ENOENT' }, { text: 'busy' }, 'unknown'],
  ['holds it in its structure', rule, { structured: { content: ['kept'] } }, 'happened'],
])('the answer of a check that %s', (_what, by, answer, outcome) => {
  expect(readCheck(by, answer, lost)).toMatchObject({ outcome })
})

it('a rule whose argument the lost call did not have finds out nothing by it', () => {
  expect(readCheck({ ...rule, happened: '$note' }, { text: 'null' }, lost).outcome).not.toBe('happened')
})
