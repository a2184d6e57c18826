import { expect, it } from 'vitest'
import type { Entry } from './entry.ts'
import { countsOf, groupOf, KINDS_OF, nextTo, senderOf, wantedOf } from './groups.ts'

const entry = (correlation: string, kind: Entry['kind'], rest: object = {}): Entry =>
  ({
    correlation,
    kind,
    thread: correlation,
    from: '@ada',
    content: correlation,
    at: '2026-11-27T00:00:00Z',
    ...rest,
  }) as Entry

const ALL = [
  entry('first', 'question', { at: '2026-11-27T00:00:01Z', from: '@bob', content: 'May I refund order 20?' }),
  entry('second', 'approval', { at: '2026-11-27T00:00:03Z' }),
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
const all = { search: '', from: null, isOldestFirst: false } as const
const found = (wanted: object) =>
  wantedOf(NEEDS, { ...all, ...wanted }, ({ content }) => JSON.stringify(content)).map(
    ({ correlation }) => correlation,
  )

it('what needs a decision stands apart, the newest first', () => {
  expect(ALL.map(groupOf)).toEqual(['needs', 'needs', 'needs', 'answers', 'notices'])
  expect(found({})).toEqual(['second', 'third', 'first'])
  expect(found({ isOldestFirst: true })).toEqual(['first', 'third', 'second'])
  expect(KINDS_OF.needs).toEqual(['question', 'approval', 'budget'])
  const open = { question: 1, approval: 1, budget: 1, answer: 5, notice: 1000, news: 0, event: 0 }
  expect(countsOf({ open })).toEqual({ needs: 3, answers: 5, notices: 1000 })
})

it('is searched by all words, in the sender too, and filtered by the sender', () => {
  expect(found({ search: 'REFUND bob' })).toEqual(['first'])
  expect(found({ search: 'refund ada' })).toEqual([])
  expect(found({ from: '@spender' })).toEqual(['third'])
  expect(ALL.map(senderOf).at(-1)).toBe('TreeOS')
})

it('after the last entry comes the one before it, and after the only one none', () => {
  expect(nextTo(ALL, 'first')).toBe('second')
  expect(nextTo(ALL, 'told')).toBe('said')
  expect(nextTo(ALL.slice(0, 1), 'first')).toBeUndefined()
})
