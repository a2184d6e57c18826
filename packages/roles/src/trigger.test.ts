import { expect, it } from 'vitest'
import { heedTrigger, type RoleTable, type SkipReason } from './index.ts'

const ROLES: RoleTable = { any: {}, none: { triggerOn: [] }, clock: { triggerOn: ['schedule', 'idle'] } }

it.each<[string, string | null, SkipReason | undefined]>([
  ['any', 'message', undefined],
  ['any', 'schedule', undefined],
  ['none', 'message', 'not-triggered'],
  ['none', null, undefined],
  ['clock', 'schedule', undefined],
  ['clock', 'idle', undefined],
  ['clock', 'message', 'not-triggered'],
  ['clock', 'change', 'not-triggered'],
  ['unknown', 'message', undefined],
])('F88 as primary role, %s is woken by %s: skip %s', (primary, trigger, skip) => {
  expect(heedTrigger({ primary, stacked: [] }, trigger, ROLES).skip).toBe(skip)
})

it('F88 another reason to skip stands', () => {
  const result = { primary: null, stacked: [], skip: 'role-unresolved' } as const
  expect(heedTrigger(result, 'message', ROLES)).toBe(result)
})

it('F88 only the primary role decides: what is stacked refuses nothing', () => {
  expect(heedTrigger({ primary: 'any', stacked: ['none'] }, 'message', ROLES).skip).toBeUndefined()
})
