import { randomBytes, randomUUID } from 'node:crypto'
import {
  type AccessToken,
  findTokenBySecret,
  insertToken,
  listAllTokens,
  listEndedTokens,
  markTokenRevoked,
} from '@treeos/chain'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase, type TestDatabase } from '../support/database.ts'

let base: TestDatabase
beforeAll(async () => {
  base = await freshDatabase()
})
afterAll(() => base?.close())

async function issue(): Promise<AccessToken & { secret: string }> {
  const secret = `treeos_${randomBytes(32).toString('base64url')}`
  const asked = { id: randomUUID(), being: 'ann', issuedBy: 'operator', secret, days: 1 }
  return { ...(await insertToken(base.db, asked)), secret }
}

describe('a token', () => {
  it('is found by its exact secret only, and is valid for its days', async () => {
    const { secret, ...token } = await issue()
    expect(await findTokenBySecret(base.db, secret)).toEqual(token)
    expect(token.expiresAt.getTime() - token.issuedAt.getTime()).toBeCloseTo(86_400_000, -2)
    for (const near of ['', secret.slice(1), `${secret} `, secret.toUpperCase(), token.id]) {
      expect(await findTokenBySecret(base.db, near)).toBeNull()
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
    expect(await markTokenRevoked(base.db, gone.id)).toBe(true)
    expect(await markTokenRevoked(base.db, gone.id)).toBe(false)
    expect(await markTokenRevoked(base.db, 'none')).toBe(false)
    expect(await findTokenBySecret(base.db, gone.secret)).toBeNull()
    expect(await listEndedTokens(base.db, [kept.id, gone.id, 'none'])).toEqual([gone.id, 'none'])
    expect(await listEndedTokens(base.db, [])).toEqual([])
    const listed = new Map((await listAllTokens(base.db)).map((token) => [token.id, token.revokedAt]))
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
    await markTokenRevoked(base.db, id)
    await expect(statement.execute(base.db)).rejects.toThrow(/permission denied|refused/)
    await expect(statement.execute(base.owner)).rejects.toThrow(/refused/)
  })

  it('gets only its hash, its being and its dates from the app', async () => {
    const { rows } = await sql<{ privilege: string; columns: string[] }>`
      select privilege_type as privilege, array_agg(column_name::text order by column_name) as columns
      from information_schema.column_privileges
      where table_schema = 'treeos' and table_name = 'token' and grantee = 'treeos_app'
      group by 1 order by 1`.execute(base.owner)
    const written = ['being', 'expires_at', 'id', 'issued_at', 'issued_by', 'secret_hash']
    expect(rows).toEqual([
      { privilege: 'INSERT', columns: written },
      { privilege: 'SELECT', columns: [...written, 'revoked_at'].sort() },
      { privilege: 'UPDATE', columns: ['revoked_at'] },
    ])
  })
})
