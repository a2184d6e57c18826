import { expect, it } from 'vitest'
import { checkWake, type RoleTable, type SkipReason } from '../index.ts'

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
])('as primary role, %s is woken by %s: skip %s', (primary, trigger, skip) => {
  expect(checkWake({ primary, stacked: [] }, { trigger }, ROLES).skip).toBe(skip)
})

it('an earlier reason to skip is kept', () => {
  const result = { primary: null, stacked: [], skip: 'role-unresolved' } as const
  expect(checkWake(result, { trigger: 'message' }, ROLES)).toBe(result)
})

it('only the primary role decides: stacked roles refuse no wake', () => {
  expect(checkWake({ primary: 'any', stacked: ['none'] }, { trigger: 'message' }, ROLES).skip).toBeUndefined()
})

it('a cut thread opens no moment, even when there is another reason to skip', () => {
  const unresolved = { primary: null, stacked: [], skip: 'role-unresolved' as const }
  for (const result of [{ primary: 'any', stacked: [] }, unresolved]) {
    expect(checkWake(result, { trigger: 'message', cut: true }, ROLES)).toEqual({
      ...result,
      skip: 'thread-cut',
    })
    expect(checkWake(result, { trigger: null, cut: false }, ROLES)).toBe(result)
  }
})
