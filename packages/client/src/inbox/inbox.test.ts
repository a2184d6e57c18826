import { ASKED_PREFIX, PRIORITIES } from '@treeos/core'
import type { InboxEntry } from '@treeos/store'
import { describe, expect, it } from 'vitest'
import { describeInboxEntry, parkedIn, viewAmong } from './inbox.ts'

const entry = (fields: Partial<InboxEntry> = {}) =>
  ({
    id: 'c',
    being: 'ann',
    kind: 'summon',
    caller: { name: 'bob', role: null, cognition: 'llm' },
    content: 'may I?',
    root: 'thread',
    inReplyTo: null,
    priority: PRIORITIES.human,
    isNotice: false,
    times: 1,
    at: 1000,
    latest: 1000,
    ...fields,
  }) as InboxEntry
const event = (id: string, fields: Partial<InboxEntry> = {}) =>
  entry({ id, kind: 'event', caller: null, ...fields })

describe('the kind of an entry', () => {
  it.each([
    { kind: 'question', of: entry() },
    { kind: 'news', of: entry({ expectReply: false }) },
    { kind: 'answer', of: entry({ inReplyTo: 'mine', content: 'You may.' }) },
    { kind: 'answer', of: entry({ inReplyTo: 'mine', expectReply: false, content: 'Yes.' }) },
    { kind: 'asks-back', of: entry({ inReplyTo: 'mine' }) },
    { kind: 'approval', of: event(`${ASKED_PREFIX}bob/1/1/ann`) },
    { kind: 'budget', of: event('parked/bob/1') },
    { kind: 'notice', of: event('failed/bob/1/1', { isNotice: true }) },
    { kind: 'event', of: event('idle/ann/1') },
  ])('is $kind by what it asks of its person: $of.id', ({ kind, of }) => {
    expect(describeInboxEntry(of).kind).toBe(kind)
  })
})

it('an entry says who it is from, in which thread, and since when', () => {
  expect(describeInboxEntry(entry())).toEqual({
    correlation: 'c',
    kind: 'question',
    thread: 'thread',
    from: '@bob',
    content: 'may I?',
    text: 'may I?',
    at: '1970-01-01T00:00:01.000Z',
    priority: 'human',
  })
})

it('equal notices are one entry, which says how many and when the last came', () => {
  const view = describeInboxEntry(event('failed/bob/1/1', { isNotice: true, times: 3, latest: 5000 }))
  expect(view).toMatchObject({ notice: true, times: 3, latest: '1970-01-01T00:00:05.000Z' })
})

it('words from outside are marked', () => {
  expect(describeInboxEntry(entry({ outside: true })).outside).toBe(true)
  expect(describeInboxEntry(entry())).not.toHaveProperty('outside')
})

it('the notice of a being that is not parked any more asks for nothing', () => {
  const parked = event('parked/bob/1')
  expect(viewAmong(parked, new Set(['bob'])).kind).toBe('budget')
  expect(viewAmong(parked, new Set()).kind).toBe('notice')
  expect(viewAmong(entry(), new Set()).kind).toBe('question')
})

it('only an event tells that a being was parked, whatever id a summon has', () => {
  expect(parkedIn({ id: 'parked/bob/1', kind: 'event' })).toBe('bob')
  expect(parkedIn({ id: 'parked/bob/1', kind: 'summon' })).toBeNull()
})
