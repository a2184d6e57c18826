import type { Json } from '@treeos/core'
import { describe, expect, it } from 'vitest'
import { type OperationForm, requireCovered } from './require-covered.ts'

const operations = new Map<string, OperationForm>([
  ['set-being', { targets: ['being'] }],
  ['take', { targets: ['matter'] }],
])
const known = { operations: { do: operations, be: operations } }
const check = (before: Json | undefined, after: Json | undefined) =>
  requireCovered(before, after, { of: 'permissions', space: '/hall', known })

describe('a rule that no call is ever asked about, from before this was checked', () => {
  const old = { do: { 'set-being': false, teleport: false } }

  it.each<[string, Json | undefined]>([
    ['another rule is set', { do: { ...old.do, take: true } }],
    ['it is taken away', { do: { teleport: false } }],
    ['all rules are taken away', undefined],
  ])('locks nothing and is not warned of: %s', (_what, after) => {
    expect(check(old, after)).toEqual([])
  })

  it('is refused where it is changed, and a name that is not known is warned of', () => {
    expect(() => check(old, { do: { ...old.do, 'set-being': true } })).toThrow('set-being acts on beings')
    expect(check(old, { do: { ...old.do, teleport: true } })).toMatchObject([
      { path: 'permissions.do.teleport' },
    ])
  })

  it('of other verbs is about addresses and beings, which may come later', () => {
    expect(check(undefined, { see: { '/cellar': false }, summon: { '@nobody': false } })).toEqual([])
  })
})
