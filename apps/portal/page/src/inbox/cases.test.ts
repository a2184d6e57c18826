import { expect, it } from 'vitest'
import { casesOf, momentIn, timesOf, whoIn } from './cases.ts'
import type { InboxEntry } from './entry.ts'

const notice = (being: string, code: string | null, rest: object = {}) =>
  ({
    correlation: `notice/${being}/1/7/me`,
    kind: 'notice',
    from: null,
    content: { event: 'failure', actor: `@${being}`, ...(code === null ? {} : { code }) },
    ...rest,
  }) as InboxEntry

it('notices of one cause are one case, in the place of the first, with all that happened counted', () => {
  const question = { correlation: 'q', kind: 'question', from: '@ann', content: 'May I?' } as InboxEntry
  const cases = casesOf([
    notice('ann', 'LLM_FAILED', { times: 3 }),
    question,
    notice('bob', 'LLM_FAILED'),
    notice('ann', 'FORBIDDEN'),
    notice('cleo', 'LLM_FAILED'),
    notice('dora', null),
  ])
  expect(cases.map((one) => [whoIn(one), timesOf(one)])).toEqual([
    ['@ann and 2 more', 5],
    ['@ann', 1],
    ['@ann', 1],
    ['@dora', 1],
  ])
})

it.each([
  { correlation: 'notice/kid/2/14/ann', from: null, is: { being: 'kid', n: 14 } },
  { correlation: 'parked/kid/1/3', from: null, is: { being: 'kid', n: 3 } },
  { correlation: 'notice/kid/2/14/ann', from: '@kid', is: null },
  { correlation: 'dropped/notice/kid/2/14/ann', from: null, is: null },
  { correlation: 'idle/ann/1', from: null, is: null },
])('$correlation from $from tells of $is', ({ is, ...entry }) => {
  expect(momentIn(entry)).toEqual(is)
})
