import { act } from '@treeos/client'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PASSWORD, PortalWorld, seatIn } from '../support/portal.ts'

let at: PortalWorld
beforeAll(async () => {
  at = await PortalWorld.start()
})
afterAll(() => at?.close())
beforeEach(() => sql`delete from portal.throttle`.execute(at.world.owner))

const signIn = (name: string, password: string) => at.post(null, '/api/open/sign-in', { name, password })
const useLink = (token: string, password = PASSWORD) =>
  at.post(null, '/api/open/link/use', { token, password })

describe('a one-time link', () => {
  it('is looked at without being used, then used once', async () => {
    const token = await at.linkFor('operator')
    for (let i = 0; i < 2; i++)
      expect((await at.post(null, '/api/open/link/look', { token })).json).toEqual({ stance: '@operator' })
    const seat = seatIn(await useLink(token))
    expect((await at.ask(seat, '/api/session')).json).toMatchObject({ stance: '@operator', role: 'operator' })
    expect(await useLink(token, 'another password')).toMatchObject({
      status: 401,
      json: { code: 'UNAUTHORIZED', detail: expect.stringContaining('whoever made it makes another one') },
    })
    expect((await signIn('operator', 'another password')).status).toBe(401)
    expect((await signIn('operator', PASSWORD)).status).toBe(200)
  })

  it('signs in one of many who use it at once', async () => {
    const token = await at.linkFor('ada')
    const answers = await Promise.all(Array.from({ length: 6 }, () => useLink(token)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401, 401])
  })

  it('is over after a day, and when a newer one is made', async () => {
    const expired = await at.linkFor('bob')
    await sql`update portal.link set expires_at = clock_timestamp() where being = 'bob'`.execute(
      at.world.owner,
    )
    expect((await useLink(expired)).status).toBe(401)
    const older = await at.linkFor('bob')
    const newer = await at.linkFor('bob')
    expect((await useLink(older)).status).toBe(401)
    expect((await useLink(newer)).status).toBe(200)
  })

  it('stays good when the password is refused', async () => {
    const token = await at.linkFor('bob')
    expect((await useLink(token, 'short')).json).toMatchObject({
      code: 'INVALID_INPUT',
      detail: 'the password has 5 characters; it takes 12 to 256',
    })
    expect((await useLink(token)).status).toBe(200)
  })

  it('ends the sessions that the person had', async () => {
    const before = await at.enter('bob')
    expect((await at.ask(before, '/api/session')).status).toBe(200)
    await useLink(await at.linkFor('bob'))
    expect((await at.ask(before, '/api/session')).status).toBe(401)
  })
})

describe('a password', () => {
  beforeAll(() => at.enter('ada'))

  it('tells nobody whether a name has an account', async () => {
    const wrong = await signIn('ada', 'not her password')
    const unknown = await signIn('nobody-at-all', 'not her password')
    expect(wrong.status).toBe(401)
    expect(unknown.json).toEqual(wrong.json)
  })

  it('cannot be guessed: after five failures even the right one has to wait, for that name only', async () => {
    for (let i = 0; i < 5; i++) expect((await signIn('ada', `guess number ${i}`)).status).toBe(401)
    expect(await signIn('ada', PASSWORD)).toMatchObject({
      status: 429,
      json: { code: 'RATE_LIMITED' },
    })
    await at.enter('bob')
    expect((await signIn('bob', PASSWORD)).status).toBe(200)
    await sql`update portal.throttle set until = clock_timestamp() where key like 'ada %'`.execute(
      at.world.owner,
    )
    expect((await signIn('ada', PASSWORD)).status).toBe(200)
  })
})

describe('a session', () => {
  it('has two halves, and neither opens anything alone or with the half of another', async () => {
    const ada = await at.enter('ada')
    const bob = await at.enter('bob')
    const { cookie, key } = ada
    expect((await at.ask(ada, '/api/session')).status).toBe(200)
    const halves: Record<string, string>[] = [
      {},
      { cookie },
      { 'x-treeos-key': key },
      { cookie, 'x-treeos-key': bob.key },
      { cookie: bob.cookie, 'x-treeos-key': key },
      { cookie, 'x-treeos-key': cookie.split('=')[1] ?? '' },
      { cookie, 'x-treeos-key': `${key}'--` },
    ]
    for (const headers of halves) expect((await at.ask(null, '/api/session', { headers })).status).toBe(401)
  })

  it('is a new one at each sign-in, in a cookie that scripts and other sites do not get', async () => {
    await at.enter('ada')
    const [one, other] = [await signIn('ada', PASSWORD), await signIn('ada', PASSWORD)]
    expect(seatIn(one)).not.toEqual(seatIn(other))
    expect(seatIn(one).cookie).not.toBe(seatIn(other).cookie)
    const [cookie] = one.headers['set-cookie'] ?? []
    expect(cookie).toMatch(/^treeos-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/)
    const origin = `https://${new URL(at.origin).host}`
    const body = JSON.stringify({ name: 'ada', password: PASSWORD })
    const secure = await at.ask(null, '/api/open/sign-in', { method: 'POST', body, headers: { origin } })
    expect(secure.headers['set-cookie']?.[0]).toMatch(/^__Host-treeos-\d+=.*; Secure$/)
  })

  it('ends when its person signs out', async () => {
    const seat = await at.enter('bob')
    expect((await at.post(seat, '/api/sign-out', {})).status).toBe(200)
    expect((await at.ask(seat, '/api/session')).status).toBe(401)
  })

  it.each([
    ['30 days after it began', sql`expires_at = clock_timestamp()`],
    ['72 hours after its last use', sql`seen_at = clock_timestamp() - interval '72 hours 1 second'`],
  ])('ends %s', async (_when, change) => {
    const seat = await at.enter('bob')
    expect((await at.ask(seat, '/api/session')).status).toBe(200)
    await sql`update portal.session set ${change} where being = 'bob'`.execute(at.world.owner)
    expect((await at.ask(seat, '/api/session')).status).toBe(401)
  })

  it('goes on while it is used: a use is recorded', async () => {
    const seat = await at.enter('bob')
    await sql`update portal.session set seen_at = clock_timestamp() - interval '71 hours' where being = 'bob'`.execute(
      at.world.owner,
    )
    expect((await at.ask(seat, '/api/session')).status).toBe(200)
    const { rows } = await sql<{ late: boolean }>`
      select seen_at < clock_timestamp() - interval '1 minute' as late from portal.session where being = 'bob'`.execute(
      at.world.owner,
    )
    expect(rows).toEqual([{ late: false }])
  })

  it('of a being that was ended acts no more', async () => {
    await at.world.birth({ name: 'eve', cognition: 'human', role: 'stage:free' })
    const seat = await at.enter('eve')
    expect((await at.ask(seat, '/api/v1/inbox')).status).toBe(200)
    await act(at.world, 'operator', { verb: 'do', operation: 'end-being', target: '@eve', args: {} })
    for (const path of [
      '/api/v1/inbox',
      '/api/v1/world',
      '/api/v1/threads',
      '/api/v1/beings/eve/moments',
      '/api/session',
    ])
      expect(await at.ask(seat, path), path).toMatchObject({
        status: 410,
        json: { code: 'BEING_ENDED' },
      })
  })
})

it('a thief of the database gets no secret that opens anything', async () => {
  const token = await at.linkFor('ada')
  const { cookie, key } = await at.enter('bob')
  const { rows } = await sql<{ dump: string }>`
    select (select coalesce(jsonb_agg(to_jsonb(a)), '[]') from portal.account a)::text
      || (select coalesce(jsonb_agg(to_jsonb(s)), '[]') from portal.session s)::text
      || (select coalesce(jsonb_agg(to_jsonb(l)), '[]') from portal.link l)::text as dump`.execute(
    at.world.owner,
  )
  const { dump = '' } = rows[0] ?? {}
  expect(dump).toContain('scrypt$17$8$1$')
  for (const secret of [token, key, cookie.split('=')[1] ?? '', PASSWORD]) {
    expect(dump).not.toContain(secret)
    expect(dump).not.toContain(Buffer.from(secret).toString('hex'))
    if (secret !== PASSWORD) expect(dump).not.toContain(Buffer.from(secret, 'base64url').toString('hex'))
  }
})
