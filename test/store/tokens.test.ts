import { randomBytes, randomUUID } from 'node:crypto'
import {
  type AccessToken,
  findTokenBySecret,
  insertToken,
  listTokensOf,
  markTokenRevoked,
  tokenHash,
} from '@treeos/store'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'

const base = useDatabase()
beforeAll(async () => {
  await sql`insert into treeos.projection (key, reel, state, folded_seq, parent, cognition) values
    ('being:operator', 'being:operator', '{}', 1, null, 'human'), ('being:ann', 'being:ann', '{}', 1, 'operator', 'llm'),
    ('being:bob', 'being:bob', '{}', 1, 'operator', 'human')`.execute(base.owner)
})

async function issue(): Promise<AccessToken & { secret: string }> {
  const secret = `treeos_${randomBytes(32).toString('base64url')}`
  const asked = {
    id: randomUUID(),
    being: 'ann',
    issuedBy: 'operator',
    secretHash: tokenHash(secret),
    days: 1,
  }
  return { ...(await insertToken(base.people, asked)), secret }
}

describe('a token', () => {
  it('is found by its exact secret only, and is valid for its days', async () => {
    const { secret, ...token } = await issue()
    expect(await findTokenBySecret(base.people, secret)).toEqual({ ...token, holds: true })
    expect(token.expiresAt.getTime() - token.issuedAt.getTime()).toBeCloseTo(86_400_000, -2)
    for (const near of ['', secret.slice(1), `${secret} `, secret.toUpperCase(), token.id]) {
      expect(await findTokenBySecret(base.people, near)).toBeNull()
    }
  })

  it('is stored as a hash of its secret', async () => {
    const { id, secret } = await issue()
    const { rows } = await sql<{ all: string }>`
      select t::text as all from treeos.token t where id = ${id}`.execute(base.owner)
    expect(rows).toHaveLength(1)
    expect(rows[0]?.all).not.toContain(secret)
    expect(rows[0]?.all).not.toContain(Buffer.from(secret).toString('hex'))
  })

  it('can be revoked once, and stays listed', async () => {
    const [kept, gone] = [await issue(), await issue()]
    for (const other of ['bob', 'ann', 'nobody'])
      expect(await markTokenRevoked(base.people, gone.id, other)).toBe(false)
    expect(await markTokenRevoked(base.people, gone.id, 'operator')).toBe(true)
    expect(await markTokenRevoked(base.people, gone.id, 'operator')).toBe(false)
    expect(await markTokenRevoked(base.people, 'none', 'operator')).toBe(false)
    expect(await findTokenBySecret(base.people, gone.secret)).toMatchObject({ id: gone.id, holds: false })
    const of = (person: string, after?: string) =>
      listTokensOf(base.people, person, { after: after ?? null, limit: 1000 })
    const listed = new Map((await of('operator')).map((token) => [token.id, token.revokedAt]))
    expect(await of('bob')).toEqual([])
    const [newest, ...older] = await of('operator')
    expect(await of('operator', newest?.id)).toEqual(older)
    expect(await of('operator', 'none')).toEqual([])
    expect(listed.get(kept.id)).toBeNull()
    expect(listed.get(gone.id)).toBeInstanceOf(Date)
  })

  it.each([
    ['another being', sql`update treeos.token set being = 'bob'`],
    ['a later expiry', sql`update treeos.token set expires_at = expires_at + interval '1 year'`],
    ['another secret', sql`update treeos.token set secret_hash = sha256('x')`],
    ['another issuer', sql`update treeos.token set issued_by = 'bob'`],
    ['no revocation again', sql`update treeos.token set revoked_at = null`],
    ['a deletion', sql`delete from treeos.token`],
    ['a truncation', sql`truncate treeos.token`],
  ])('cannot be given %s, by the app or by the owner', async (_what, statement) => {
    const { id } = await issue()
    await markTokenRevoked(base.people, id, 'operator')
    await expect(statement.execute(base.people)).rejects.toThrow(/permission denied|refused/)
    await expect(statement.execute(base.owner)).rejects.toThrow(/refused/)
  })

  it('is read and written by functions only', async () => {
    const { rows } = await sql`
      select distinct grantee::text as who, privilege_type::text as may from information_schema.column_privileges
      where table_schema = 'treeos' and table_name = 'token' and grantee in ('treeos_app', 'treeos_people', 'treeos_portal')`.execute(
      base.owner,
    )
    expect(rows).toEqual([])
  })

  it.each([
    ['a scripted being', { issuedBy: 'ann', being: 'ann' }],
    ['a person, for a being that it did not make', { issuedBy: 'bob', being: 'ann' }],
    ['nobody', { issuedBy: 'nobody', being: 'ann' }],
    ['a person, for nobody', { being: 'nobody' }],
    ['a person, for ever', { days: 366 }],
    ['a person, for no day', { days: 0 }],
  ])('is not issued by %s', async (_what, more) => {
    const of = { id: randomUUID(), being: 'ann', issuedBy: 'operator', secretHash: tokenHash('x'), days: 1 }
    const asked = { ...of, ...more }
    await expect(insertToken(base.people, asked)).rejects.toMatchObject({ code: '42501' })
  })
})
