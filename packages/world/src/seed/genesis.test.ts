import { describe, expect, it } from 'vitest'
import { ROLE_MANAGER } from '../extend/substrate.ts'
import { evolve } from '../rows/evolve.ts'
import type { BeingRow } from '../rows/rows.ts'
import { delegateInstalled, genesisFacts } from './genesis.ts'

const born = genesisFacts().find(
  ({ kind, payload }) => kind === 'being:born' && payload.name === ROLE_MANAGER,
)
const row = evolve(null, { ...born!, actor: '$reality', at: 0 }) as BeingRow

describe('the role-manager of a reality that an older version made', () => {
  it('is born where it is missing, with the facts of genesis', () => {
    const facts = delegateInstalled(ROLE_MANAGER, null)
    expect(facts?.map(({ reel, kind }) => [reel, kind])).toEqual([
      [`being:${ROLE_MANAGER}`, 'being:born'],
      ['being:operator', 'being:bore'],
      ['space:/', 'space:entered'],
    ])
    expect(facts).toContainEqual(born)
  })

  it('gets the role that lets it mediate, once', () => {
    const old: BeingRow = { ...row, defaultRole: 'delegate' }
    const [fact] = delegateInstalled(ROLE_MANAGER, old) ?? []
    const now = evolve(old, { ...fact!, actor: '$reality', at: 1 }) as BeingRow
    expect(now.qualities.roleFlow).toEqual([{ role: ROLE_MANAGER }])
    expect(delegateInstalled(ROLE_MANAGER, now)).toEqual([])
    expect(delegateInstalled(ROLE_MANAGER, row)).toEqual([])
  })

  it('is left alone where another being has the name', () => {
    expect(delegateInstalled(ROLE_MANAGER, { ...row, cognition: { kind: 'llm', script: null } })).toBeNull()
  })
})
