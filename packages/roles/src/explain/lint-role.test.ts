import { describe, expect, it } from 'vitest'
import { lintRole } from './lint-role.ts'

const known = { canDo: ['set-space', 'court:rule'], canBe: ['birth'], see: ['harmony:neighbors'] }

describe('lintRole', () => {
  it('finds nothing wrong with a whole role', () => {
    const role = {
      name: 'judge',
      canDo: ['set-space'],
      canBe: ['birth'],
      see: ['neighbors'],
      prompt: 'Rule.',
    }
    expect(lintRole(role, { known })).toEqual({ errors: [], warnings: [] })
  })

  it('names every field with a fault, not only the first', () => {
    const { errors } = lintRole({
      name: 'Judge',
      canSee: 'all',
      canDo: [{ rel: 1 }],
      colour: 'red',
      prompt: 3,
    })
    expect(errors.map(({ path }) => path).sort()).toEqual(['canDo[0]', 'canSee', 'colour', 'name', 'prompt'])
  })

  it('refuses what only an extension may bring', () => {
    const { errors } = lintRole({ name: 'court:judge', prompt: { function: 'court@1.0.0' } })
    expect(errors.map(({ path }) => path)).toEqual(['name', 'prompt'])
  })

  it('warns of names that nothing brings', () => {
    const role = {
      name: 'judge',
      canDo: ['set-spase', { pattern: 'court:*' }],
      canBe: ['born'],
      see: ['dreams'],
    }
    expect(lintRole(role, { known }).warnings.map(({ path }) => path)).toEqual([
      'canDo[0]',
      'canBe[0]',
      'see[0]',
    ])
    expect(lintRole(role).warnings).toEqual([])
  })

  it.each([[null], ['judge'], [[]], [{}], [{ name: 'a', x: undefined }]])(
    '%j is told, not thrown',
    (role) => {
      expect(lintRole(role).errors.length).toBeGreaterThan(0)
    },
  )
})
