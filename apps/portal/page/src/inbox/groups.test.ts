import { expect, it } from 'vitest'
import type { InboxEntry } from './entry.ts'
import { countsOf, isAsCounted, nextTo, wantedOf } from './groups.ts'
import { groupOf, KINDS_OF } from './kinds.ts'
import { senderOf } from './sender.ts'

const entry = (correlation: string, kind: InboxEntry['kind'], rest: object = {}): InboxEntry =>
  ({
    correlation,
    kind,
    thread: correlation,
    from: '@ada',
    content: correlation,
    at: '2026-11-27T00:00:00Z',
    ...rest,
  }) as InboxEntry

const ALL = [
  entry('first', 'question', {
    at: '2026-11-27T00:00:01Z',
    from: '@bob',
    role: 'clerk',
    outside: true,
    content: 'May I refund order 20?',
  }),
  entry('second', 'approval', {
    at: '2026-11-27T00:00:03Z',
    from: null,
    content: { actor: '@ada', on: '/shop', roles: ['cashier'] },
  }),
  entry('third', 'budget', {
    from: null,
    content: { actor: '@spender' },
    at: '2026-11-27T00:00:00Z',
    latest: '2026-11-27T00:00:02Z',
  }),
  entry('said', 'answer'),
  entry('told', 'notice', { from: null, content: { message: 'it failed' } }),
]
const NEEDS = ALL.filter((one) => groupOf(one) === 'needs')
const all = { search: '', facets: {}, isOldestFirst: false }
const found = (wanted: object) =>
  wantedOf(NEEDS, { ...all, ...wanted }, ({ content }) => JSON.stringify(content)).map(
    ({ correlation }) => correlation,
  )

it('what needs a decision stands apart, the newest first', () => {
  expect(ALL.map(groupOf)).toEqual(['needs', 'needs', 'needs', 'answers', 'notices'])
  expect(found({})).toEqual(['second', 'third', 'first'])
  expect(found({ isOldestFirst: true })).toEqual(['first', 'third', 'second'])
  expect(KINDS_OF.needs).toEqual(['question', 'approval', 'budget', 'asks-back'])
  const open = {
    question: 1,
    approval: 1,
    budget: 1,
    'asks-back': 2,
    answer: 5,
    notice: 1000,
    news: 0,
    event: 0,
  }
  expect(countsOf({ open })).toEqual({ needs: 5, answers: 5, notices: 1000 })
})

it('is searched by all words, in the sender too, and filtered by what tells entries apart', () => {
  expect(found({ search: 'REFUND bob' })).toEqual(['first'])
  expect(found({ search: 'refund ada' })).toEqual([])
  expect(found({ facets: { from: '@spender' } })).toEqual(['third'])
  expect(found({ facets: { what: 'question', role: 'clerk', origin: 'from outside' } })).toEqual(['first'])
  expect(found({ facets: { role: 'clerk', on: '/shop' } })).toEqual([])
  expect(found({ facets: { on: '/shop', role: 'cashier' } })).toEqual(['second'])
  expect(ALL.map(senderOf).at(-1)).toBe('TreeOS')
})

it('after the last entry comes the one before it, and after the only one none', () => {
  expect(nextTo(ALL, 'first')).toBe('second')
  expect(nextTo(ALL, 'told')).toBe('said')
  expect(nextTo(ALL.slice(0, 1), 'first')).toBeUndefined()
})

const NONE = { question: 0, approval: 0, budget: 0, 'asks-back': 0, answer: 0, notice: 0, news: 0, event: 0 }
const COUNTED = { open: { ...NONE, question: 1, approval: 1, budget: 1 }, newest: '2026-11-27T00:00:03.000Z' }
it.each([
  { what: 'all that was counted', items: NEEDS, counts: COUNTED, is: true },
  { what: 'one fewer', items: NEEDS.slice(1), counts: COUNTED, is: false },
  {
    what: 'as many, but one that came after it was read is among those counted',
    items: NEEDS,
    counts: { ...COUNTED, newest: '2026-11-27T00:00:04.000Z' },
    is: false,
  },
  {
    what: 'a newest one that was rounded up when it was counted',
    items: NEEDS,
    counts: { ...COUNTED, newest: '2026-11-27T00:00:03.001Z' },
    is: true,
  },
  { what: 'nothing, where nothing was counted', items: [], counts: { open: NONE, newest: null }, is: true },
  { what: 'the newest of more', items: NEEDS.slice(1), isWhole: false, counts: COUNTED, is: true },
  { what: 'more than was counted', items: [...NEEDS, ...NEEDS], isWhole: false, counts: COUNTED, is: false },
])('a list with $what counts as current: $is', ({ items, isWhole = true, counts, is }) => {
  expect(isAsCounted('needs', { items, isWhole }, counts)).toBe(is)
})
