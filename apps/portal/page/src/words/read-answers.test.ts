import { expect, it } from 'vitest'
import { readIn } from './read-answers.ts'

const line = (id: string, at: string, rest: object = {}) => ({
  ...{ id, at, from: '@kid', to: '@me', kind: 'words' as const, inReplyTo: 'mine', isOpen: true },
  ...rest,
})
const ASKS = { asksBack: true as const }
const more = line('more', '5', { from: '@me', to: '@kid', inReplyTo: null })

it.each([
  { what: 'an answer', lines: [line('a', '1')], is: ['a'] },
  { what: 'an answer that was read before', lines: [line('a', '1', { isOpen: false })], is: [] },
  { what: 'an answer to somebody else', lines: [line('a', '1', { to: '@you' })], is: [] },
  { what: 'a question', lines: [line('a', '1', { inReplyTo: null }), more], is: [] },
  { what: 'an event', lines: [line('a', '1', { kind: 'event' })], is: [] },
  { what: 'an answer that asks back', lines: [line('why', '1', ASKS)], is: [] },
  {
    what: 'an answer that asks back, and more said before it',
    lines: [more, line('why', '6', ASKS)],
    is: [],
  },
  {
    what: 'an answer that asks back, and more said to its being',
    lines: [line('why', '1', ASKS), more],
    is: ['why'],
  },
  {
    what: 'an answer that asks back, and more said to another being',
    lines: [line('why', '1', ASKS), { ...more, to: '@pup' }],
    is: [],
  },
])('of $what is read: $is', ({ lines, is }) => {
  expect(readIn(lines, '@me')).toEqual(is)
})
