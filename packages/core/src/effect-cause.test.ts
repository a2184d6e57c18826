import { expect, it } from 'vitest'
import { causeSourceOf, keyedBy } from './effect-cause.ts'

const HASH = 'a'.repeat(64)

it.each([
  ['a summon', { kind: 'summon', id: 'u1', cause: HASH }, { of: 'wake', cause: { fact: HASH } }],
  ['a person', { kind: 'act', id: 'u2', cause: null }, { of: 'wake', cause: { wake: 'u2' } }],
  [
    'a schedule',
    { kind: 'event', id: 'schedule/ann/day/9', cause: null },
    { of: 'wake', cause: { wake: 'schedule/ann/day/9' } },
  ],
  [
    'a change',
    { kind: 'event', id: 'change/bob/1/4/ann', cause: HASH },
    { of: 'wake', cause: { fact: HASH } },
  ],
  ['a yes', { kind: 'event', id: 'approved/ann/1/3', cause: HASH }, { of: 'yes', asked: 'ann/1/3' }],
  [
    'going on, whose cause is that of its question',
    { kind: 'event', id: 'continue/ann/2/5', cause: HASH },
    { of: 'moment', being: 'ann', n: 5 },
  ],
  ['a refusal', { kind: 'event', id: 'refused/ann/2/6', cause: HASH }, { of: 'moment', being: 'ann', n: 6 }],
  [
    'a notice of another',
    { kind: 'event', id: 'notice/bob/1/7/ann', cause: null },
    { of: 'moment', being: 'bob', n: 7 },
  ],
  [
    'silence, which names the moment to come',
    { kind: 'event', id: 'idle/ann/1/8', cause: null },
    { of: 'moment', being: 'ann', n: 7 },
  ],
] as const)('finds the cause of an effect of a moment that was woken by %s', (_what, wake, source) => {
  expect(causeSourceOf(wake)).toEqual(source)
})

it('keys an act by its reality, its call and its cause, and by nothing else of its request', () => {
  const call = { operation: 'mail:post', actor: 'ann', target: '@ann', args: { text: 'x' }, secrets: ['k'] }
  expect(keyedBy('r', call, { moment: HASH, wake: 'continue/ann/1/1' })).toEqual({
    reality: 'r',
    operation: 'mail:post',
    actor: 'ann',
    target: '@ann',
    args: { text: 'x' },
    cause: { moment: HASH, wake: 'continue/ann/1/1' },
  })
})
