import { describe, expect, it } from 'vitest'
import { withFullNames } from './full-names.ts'
import { parseRole } from './parse-role.ts'

const loaded = {
  canDo: ['set-space', 'factory:operate-lathe', 'factory:log', 'food:log', 'odd:set-space'],
  canBe: ['birth', 'guild:join'],
}
const named = (canDo: readonly unknown[], canBe: readonly unknown[] = []) =>
  withFullNames(parseRole({ name: 'worker', prompt: '', canDo, canBe }), loaded)

describe('the full names of operations', () => {
  it('adds the prefix where one extension alone has the operation', () => {
    const { spec, faults } = named(['operate-lathe', { pattern: '*' }], ['join'])
    expect([spec.canDo, spec.canBe, faults]).toEqual([
      ['factory:operate-lathe', { pattern: '*' }],
      ['guild:join'],
      [],
    ])
  })

  it('keeps a name that an operation has, and one that nothing has', () => {
    expect(named(['set-space', 'food:log', 'fly', 'no:fly']).spec.canDo).toEqual([
      'set-space',
      'food:log',
      'fly',
      'no:fly',
    ])
  })

  it('names all that a name may mean', () => {
    expect(named(['operate-lathe', 'log']).faults).toEqual([
      { path: 'canDo[1]', message: 'is "log", which several extensions have: write factory:log or food:log' },
    ])
  })
})
