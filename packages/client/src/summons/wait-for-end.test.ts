import type { StoredOutcome } from '@treeos/store'
import { expect, it } from 'vitest'
import { noAnswer } from './wait-for-end.ts'

const ended = (fields: Partial<StoredOutcome>) =>
  ({
    moment: 'echo/1/1',
    being: 'echo',
    kind: 'see',
    reason: null,
    detail: null,
    ...fields,
  }) as StoredOutcome

it.each([
  { why: 'it acted', of: ended({ kind: 'act' }), said: null, told: '@echo acted and sent no answer' },
  {
    why: 'TreeOS says why',
    of: ended({ reason: 'chain-too-long', detail: 'the chain has 16 moments' }),
    said: null,
    told: '@echo sent no answer: the chain has 16 moments',
  },
  {
    why: 'it acted as often as it may',
    of: ended({ kind: 'act', reason: 'steps-spent', detail: 'all 16 steps are used' }),
    said: null,
    told: '@echo sent no answer: all 16 steps are used',
  },
  {
    why: 'only a code says why',
    of: ended({ reason: 'chain-too-long' }),
    said: 'hm',
    told: '@echo sent no answer: chain-too-long',
  },
  {
    why: 'it wrote text and called no tool',
    of: ended({}),
    said: 'hello',
    told: 'which reaches nobody in its role: "hello"',
  },
  {
    why: 'it did nothing',
    of: ended({}),
    said: null,
    told: '@echo sent no answer: it decided to do nothing',
  },
])('a summon whose moment ended well without an answer says so: $why', ({ of, said, told }) => {
  const error = noAnswer(of, said)
  expect(error.code).toBe('NO_ANSWER')
  expect(error.message).toContain(told)
})

it('the error names the moment, and what was written only where something was', () => {
  expect(noAnswer(ended({}), 'hello').detail).toEqual({
    moment: 'echo/1/1',
    outcome: 'see',
    reason: null,
    content: 'hello',
  })
  expect(noAnswer(ended({}), null).detail).not.toHaveProperty('content')
})
