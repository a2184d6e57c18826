import { expect, it } from 'vitest'
import type { Moment } from '../moment.ts'
import { faultOfUnasked } from './brought-yes.ts'

const MANIFEST = { operations: { do: { 'till:refund': { ask: { who: ['operator'] } } } } }
const done = (open: object) =>
  ({
    record: { outcome: 'act' },
    open: { wake: { kind: 'act', id: 'act/x' }, cognition: { kind: 'human' }, driver: null, ...open },
    decision: { call: { verb: 'do', operation: 'till:refund' } },
  }) as unknown as Moment

it.each([
  ['a mind', { cognition: { kind: 'llm' } }],
  ['who drives a being', { driver: 'ann' }],
  ['a program of the person, in words from outside', { outside: true }],
])('a call that asks by itself is no own yes of %s', (_who, open) => {
  expect(faultOfUnasked(done(open), MANIFEST)).toBe('till:refund asks by itself, and its act brought no yes')
  expect(faultOfUnasked(done({}), MANIFEST), 'control: a person').toBeNull()
})
