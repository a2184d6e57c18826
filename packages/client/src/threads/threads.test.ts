import type { Thread } from '@treeos/core'
import type { InboxEntry, ThreadWords } from '@treeos/store'
import { expect, it } from 'vitest'
import { listedOf } from './threads.ts'

const thread: Thread = {
  thread: 't',
  state: 'live',
  participants: ['ann', 'bob'],
  wakes: 2,
  open: 1,
  acts: 1,
  depth: 2,
  began: 0,
  moved: 1000,
  unanswered: [],
  notices: [],
}
const said = (content: InboxEntry['content'], fields: Partial<InboxEntry> = {}) =>
  ({ id: 'c', kind: 'summon', content, caller: { name: 'ann' }, ...fields }) as InboxEntry
const words = (first: InboxEntry, last: InboxEntry): ThreadWords => ({
  thread: 't',
  channel: null,
  first,
  last,
})

it('a thread of which nothing may be read shows that it is there, and no words', () => {
  expect(listedOf(thread, undefined)).toMatchObject({
    thread: 't',
    participants: ['@ann', '@bob'],
    moved: '1970-01-01T00:00:01.000Z',
    subject: null,
    last: null,
  })
})

it('a thread is known again by its first words, and shows who spoke last', () => {
  const listed = listedOf(thread, words(said('lunch?'), said({ text: 'yes\n\nat  noon' }, { caller: null })))
  expect(listed).toMatchObject({ subject: 'lunch?', last: { from: null, words: 'yes at noon' } })
})

it('long words are cut', () => {
  const { subject } = listedOf(thread, words(said('x'.repeat(140)), said('y')))
  expect(subject).toBe('x'.repeat(140))
  const cut = listedOf(thread, words(said('x'.repeat(141)), said('y'))).subject
  expect(cut).toBe(`${'x'.repeat(140)} …`)
})

it('words from outside are marked where they stand, and nowhere else', () => {
  const listed = listedOf(thread, words(said('a'), said('b', { outside: true })))
  expect(listed).not.toHaveProperty('outside')
  expect(listed.last).toHaveProperty('outside', true)
})
