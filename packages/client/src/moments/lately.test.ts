import type { LateMoment } from '@treeos/store'
import { expect, it } from 'vitest'
import { spokenIn } from './lately.ts'

const lived = (caller: string | null, being: string, fields: Partial<LateMoment> = {}) =>
  ({ caller, being, kind: 'act', thread: 't', sealedAt: 0, ...fields }) as LateMoment

it('counts how often one being woke another, each direction by itself, the busiest pair first', () => {
  const spoken = spokenIn([lived('ann', 'bob'), lived('bob', 'ann'), lived('ann', 'bob')])
  expect(spoken.map(({ from, to, count }) => [from, to, count])).toEqual([
    ['@ann', '@bob', 2],
    ['@bob', '@ann', 1],
  ])
})

it('counts failures apart, and names the time and the thread of the newest moment', () => {
  const [spoken] = spokenIn([
    lived('ann', 'bob', { sealedAt: 2000, thread: 'new', kind: 'failure' }),
    lived('ann', 'bob', { sealedAt: 1000, thread: 'old' }),
  ])
  expect(spoken).toMatchObject({ count: 2, failed: 1, last: '1970-01-01T00:00:02.000Z', thread: 'new' })
})

it('leaves out a being that woke itself, and what no being woke', () => {
  expect(spokenIn([lived('ann', 'ann'), lived(null, 'ann'), lived('bob', 'ann', { thread: null })])).toEqual(
    [],
  )
})
