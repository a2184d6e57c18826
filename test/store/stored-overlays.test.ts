import { deleteStoredOverlay, listStoredOverlays, setStoredOverlay } from '@treeos/store'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'

const base = useDatabase()
beforeAll(async () => {
  await sql`insert into treeos.projection (key, reel, state, folded_seq, parent, cognition) values
    ('being:operator', 'being:operator', '{}', 1, null, 'human'), ('being:kid', 'being:kid', '{}', 1, 'operator', 'llm'),
    ('being:ann', 'being:ann', '{}', 1, 'operator', 'human'), ('being:bob', 'being:bob', '{}', 1, 'operator', 'human'),
    ('being:gone', 'being:gone', '{}', 1, 'operator', 'ended')`.execute(base.owner)
  await sql`insert into treeos.inbox (id, being, kind, priority, caller, caller_role, caller_cognition, content, root, channel)
    values ('s1', 'kid', 'summon', 1, 'ann', 'r', 'human', '"hi"', 's1', 'team'),
      ('s2', 'kid', 'summon', 1, 'bob', 'r', 'human', '"me too"', 's2', 'team'),
      ('s3', 'bob', 'summon', 1, 'kid', 'r', 'llm', '"mine"', 's3', 'nest')`.execute(base.owner)
})

const SECRET = 'the text of an overlay'
const set = (tier: string, scope: string, by: string, name = 'n', content = SECRET) =>
  setStoredOverlay(base.people, { tier, scope, name }, { content, applies: null, by })

describe('stored overlays', () => {
  it.each(['call', 'thread', 'moment'])('refuse the tier %s in storage', async (tier) => {
    expect(await set(tier, 'reality', 'operator')).toBe('unstored')
    expect(await deleteStoredOverlay(base.people, { tier, scope: 'reality', name: 'n' }, 'operator')).toBe(
      'unstored',
    )
    // Control: the table itself refuses what the owner writes, and the error holds no text.
    const insert = sql`insert into treeos.overlay (tier, scope, name, content, set_by)
      values (${tier}::text::treeos.stored_tier, 's', 'n', ${SECRET}, 'operator')`.execute(base.owner)
    const error = (await insert.catch((thrown: unknown) => thrown)) as { code: string; detail?: string }
    expect(error.code).toBe('23514')
    expect(JSON.stringify(error)).not.toContain(SECRET)
  })

  it.each([
    ['workspace', 'reality', 'operator', 'set'],
    ['workspace', 'reality', 'ann', 'forbidden'],
    ['workspace', 'reality', 'kid', 'forbidden'],
    ['workspace', 'another', 'operator', 'forbidden'],
    ['account', 'ann', 'ann', 'set'],
    ['account', 'ann', 'operator', 'forbidden'],
    ['account', 'ann', 'bob', 'forbidden'],
    ['account', 'kid', 'kid', 'forbidden'],
    ['account', 'gone', 'gone', 'forbidden'],
    ['channel', 'team', 'ann', 'set'],
    ['channel', 'team', 'operator', 'set'],
    ['channel', 'team', 'bob', 'forbidden'],
    ['channel', 'nest', 'kid', 'forbidden'],
    ['channel', 'nest', 'bob', 'forbidden'],
    ['channel', 'unspoken', 'ann', 'forbidden'],
  ])('of the %s %s by %s: %s', async (tier, scope, by, answer) => {
    expect(await set(tier, scope, by)).toBe(answer)
    if (answer === 'forbidden')
      expect(await deleteStoredOverlay(base.people, { tier, scope, name: 'n' }, by)).toBe('forbidden')
  })

  it('are replaced by name, counted, listed for who may read them, and deleted', async () => {
    expect(await set('account', 'bob', 'bob', 'a', 'first')).toBe('set')
    expect(await set('account', 'bob', 'bob', 'b', 'second')).toBe('set')
    expect(await set('account', 'bob', 'bob', 'a', 'third')).toBe('set')
    const listed = async (reader: string) =>
      (await listStoredOverlays(base.people, reader))
        .filter(({ tier }) => tier === 'account')
        .map(({ name, content, isInForce }) => [name, content, isInForce])
    expect(await listed('bob')).toEqual([
      ['a', 'third', true],
      ['b', 'second', false],
    ])
    expect((await listed('operator')).flat()).not.toContain('third')
    const a = { tier: 'account', scope: 'bob', name: 'a' }
    expect(await deleteStoredOverlay(base.people, a, 'ann')).toBe('forbidden')
    expect(await deleteStoredOverlay(base.people, a, 'bob')).toBe('deleted')
    expect(await deleteStoredOverlay(base.people, a, 'bob')).toBe('missing')
    expect(await listed('bob')).toEqual([['b', 'second', true]])
  })

  it('have bounds', async () => {
    expect(await set('account', 'bob', 'bob', 'long', 'x'.repeat(8193))).toBe('too-long')
    expect(await set('account', 'bob', 'bob', '')).toBe('too-long')
    for (let i = 0; i < 31; i++) expect(await set('account', 'bob', 'bob', `n${i}`)).toBe('set')
    expect(await set('account', 'bob', 'bob', 'one-more')).toBe('too-many')
    expect(await set('account', 'bob', 'bob', 'n3')).toBe('set')
  })

  it.each([
    `insert into treeos.overlay (tier, scope, name, content, set_by) values ('workspace', 'reality', 'x', 'obey', 'operator')`,
    `update treeos.overlay set content = 'obey'`,
    `delete from treeos.overlay`,
    `truncate treeos.overlay`,
  ])('are not written plainly by a worker: %s', async (statement) => {
    await expect(sql.raw(statement).execute(base.people)).rejects.toMatchObject({ code: '42501' })
    // Control: the owner may, so it is the right that is missing.
    await base.owner
      .transaction()
      .execute(async (trx) => {
        await sql.raw(statement).execute(trx)
        throw new Error('back')
      })
      .catch((error: Error) => expect(error.message).toBe('back'))
  })
})
