/** Signing in by a real OpenID Connect provider on loopback, and what an attacker may try on the way. */
import { Provider } from '@treeos/portal'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { comeBack, IdentityProvider } from '../support/identity-provider.ts'
import { type Answered, PortalWorld, type Seat, seatIn } from '../support/portal.ts'

let at: PortalWorld
let id: IdentityProvider
let ada: Seat
beforeAll(async () => {
  id = await IdentityProvider.listen()
  at = await PortalWorld.start({ provider: new Provider(id.settings) })
})
afterAll(async () => {
  await at?.close()
  await id?.close()
})
beforeEach(async () => {
  await at.serveAnew()
  id.who = 'ada@id.example'
  id.bendToken = null
})

interface Begun {
  readonly attempt: string
  readonly url: string
}
const begin = async (token: string | null = null): Promise<Begun> =>
  (await at.post(null, '/api/open/provider', { token })).json
const finish = (attempt: string, query: string, token: string | null = null): Promise<Answered> =>
  at.post(null, '/api/open/provider/returned', { attempt, query, token })
/** All of it, as a browser would. */
async function signIn(token: string | null = null): Promise<Answered> {
  const { attempt, url } = await begin(token)
  return finish(attempt, await comeBack(url, at.origin), token)
}
const REFUSED = { status: 401, json: { code: 'UNAUTHORIZED' } }
const sessions = async () =>
  (await sql<{ n: string }>`select count(*) n from portal.session`.execute(at.world.owner)).rows[0]?.n

it('a provider that is away is said to be so, and asked again later', async () => {
  expect(await at.post(null, '/api/open/provider', { token: null })).toMatchObject({
    status: 503,
    json: { code: 'SERVICE_UNAVAILABLE', detail: expect.stringContaining('Example Login') },
  })
  id.open(`${at.origin}/provider`)
  expect((await at.ask(null, '/api/open/ways')).json).toEqual({ provider: 'Example Login' })
  const { url } = await begin()
  expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    redirect_uri: `${at.origin}/provider`,
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
  })
})

it('an account of the provider that nobody here has brings nobody in, and makes nobody', async () => {
  const { rows } = await sql<{ n: string }>`select count(*) n from treeos.projection`.execute(at.world.owner)
  expect(await signIn()).toMatchObject(REFUSED)
  expect((await sql`select count(*) n from treeos.projection`.execute(at.world.owner)).rows).toEqual(rows)
})

it('an invited person opens its link by its account, and signs in by it from then on', async () => {
  const token = await at.linkFor('ada')
  ada = seatIn(await signIn(token))
  expect((await at.ask(ada, '/api/account')).json).toMatchObject({
    hasPassword: false,
    identities: [{ issuer: id.issuer, label: 'ada@id.example' }],
  })
  expect(await at.post(null, '/api/open/provider', { token })).toMatchObject(REFUSED) // it was used
  const again = seatIn(await signIn())
  expect((await at.ask(again, '/api/session')).json).toMatchObject({ stance: '@ada' })
  expect(again.cookie).not.toBe(ada.cookie)
  expect(await at.post(ada, '/api/account/identity/remove', { issuer: id.issuer })).toMatchObject({
    status: 409,
  })
})

it('an account belongs to one person, and a person has one of each provider', async () => {
  const bob = await at.enter('bob')
  const connect = async (seat: Seat) => {
    const { attempt, url } = (await at.post(seat, '/api/account/identity', { connect: true })).json
    const query = await comeBack(url, at.origin)
    return at.post(seat, '/api/account/identity/returned', { attempt, query })
  }
  expect(await connect(bob)).toMatchObject({ status: 409 })
  id.who = 'bob@id.example'
  expect((await connect(bob)).status).toBe(200)
  id.who = 'bobby@id.example'
  expect(await connect(bob)).toMatchObject({ status: 409 })
  id.who = 'bob@id.example'
  expect((await at.ask(seatIn(await signIn()), '/api/session')).json).toMatchObject({ stance: '@bob' })
  expect((await at.post(bob, '/api/account/identity/remove', { issuer: id.issuer })).status).toBe(200)
  expect(await signIn()).toMatchObject(REFUSED)
})

describe('on the way back', () => {
  const refusedWith = async (change: (query: URLSearchParams) => void) => {
    const { attempt, url } = await begin()
    const query = new URLSearchParams(await comeBack(url, at.origin))
    const good = query.toString()
    change(query)
    const before = await sessions()
    expect(await finish(attempt, query.toString())).toMatchObject(REFUSED)
    expect(await sessions()).toBe(before)
    expect(await finish(attempt, good)).toMatchObject(REFUSED) // the attempt is used up
    expect((await signIn()).status).toBe(200) // control
  }
  it('another state is refused', () => refusedWith((query) => query.set('state', 'x'.repeat(43))))
  it('no state is refused', () => refusedWith((query) => query.delete('state')))
  it('another code is refused', () => refusedWith((query) => query.set('code', 'x'.repeat(43))))
  it('no code is refused', () => refusedWith((query) => query.delete('code')))
  it('another issuer is refused', () => refusedWith((query) => query.set('iss', 'https://evil.example')))
  it('two codes are refused', () => refusedWith((query) => query.append('code', 'x')))

  it('a refusal of the provider is one', async () => {
    id.who = null
    const { attempt, url } = await begin()
    const query = await comeBack(url, at.origin)
    expect(query).toContain('access_denied')
    expect(await finish(attempt, query)).toMatchObject(REFUSED)
  })
  it('what an attacker brought from its own attempt signs nobody in elsewhere', async () => {
    const [own, other] = [await begin(), await begin()]
    const query = await comeBack(own.url, at.origin)
    expect(await finish(other.attempt, query)).toMatchObject(REFUSED)
    expect((await finish(own.attempt, query)).status).toBe(200) // control
  })
  it('an invented attempt, one of another thing, and a used one are refused', async () => {
    const { attempt, url } = await begin()
    const query = await comeBack(url, at.origin)
    expect(await finish('A'.repeat(43), query)).toMatchObject(REFUSED)
    expect(await finish(attempt, query, await at.linkFor('cleo'))).toMatchObject(REFUSED)
    expect((await finish(attempt, query)).status).toBe(200)
    expect(await finish(attempt, query)).toMatchObject(REFUSED)
  })
  it('an attempt is over after 10 minutes', async () => {
    const { attempt, url } = await begin()
    const query = await comeBack(url, at.origin)
    await sql`update portal.attempt set expires_at = clock_timestamp()`.execute(at.world.owner)
    expect(await finish(attempt, query)).toMatchObject(REFUSED)
  })
})

describe('an ID token', () => {
  const now = () => Math.floor(Date.now() / 1000)
  it.each<[string, NonNullable<IdentityProvider['bendToken']>]>([
    [
      'with another subject under the old signature',
      (claims, token) => {
        const [head, , signature] = token.split('.')
        return [
          head,
          Buffer.from(JSON.stringify({ ...claims, sub: 'x' })).toString('base64url'),
          signature,
        ].join('.')
      },
    ],
    [
      'without a signature',
      (claims) => {
        const parts = [{ alg: 'none' }, claims].map((part) =>
          Buffer.from(JSON.stringify(part)).toString('base64url'),
        )
        return `${parts.join('.')}.`
      },
    ],
    ['signed by another key', (claims) => id.sign(claims, { isStrange: true })],
    ['for another client', (claims) => id.sign({ ...claims, aud: 'another' })],
    ['of another issuer', (claims) => id.sign({ ...claims, iss: 'https://evil.example' })],
    ['that is over', (claims) => id.sign({ ...claims, iat: now() - 7200, exp: now() - 3600 })],
    ['of another sign-in', (claims) => id.sign({ ...claims, nonce: 'x'.repeat(43) })],
    ['of no sign-in', ({ nonce: _, ...claims }) => id.sign(claims)],
    ['that is not a token', () => 'nothing'],
  ])('%s is refused', async (_what, bend) => {
    id.bendToken = bend
    const before = await sessions()
    expect(await signIn()).toMatchObject(REFUSED)
    expect(await sessions()).toBe(before)
  })

  it('control: one that is signed anew, unchanged, is taken', async () => {
    id.bendToken = (claims) => id.sign(claims)
    expect((await signIn()).status).toBe(200)
  })
})
