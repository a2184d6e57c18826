/** Accounts, sessions and invitations: what their person may do, and what nobody else may. */
import { act } from '@treeos/client'
import { listRoutes } from '@treeos/portal'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { groundOf, rowOf, until } from '../support/life.ts'
import { PASSWORD, PortalWorld, type Seat, seatIn, send } from '../support/portal.ts'

let at: PortalWorld
let operator: Seat
let ada: Seat
let bob: Seat
beforeAll(async () => {
  at = await PortalWorld.start()
  for (const person of ['operator', 'ada', 'bob']) await at.enter(person)
})
afterAll(() => at?.close())
beforeEach(async () => {
  await at.serveAnew()
  await sql`delete from portal.throttle`.execute(at.world.owner)
  await sql`delete from portal.session`.execute(at.world.owner)
  ;[operator, ada, bob] = [await at.sit('operator'), await at.sit('ada'), await at.sit('bob')]
})

const signIn = (name: string, password = PASSWORD) => at.post(null, '/api/open/sign-in', { name, password })
const lives = async (seat: Seat) => (await at.ask(seat, '/api/session')).status === 200
const end = (seat: Seat, which: string) => at.post(seat, '/api/account/sessions/end', { which })
const sessionsOf = async (seat: Seat) => (await at.ask(seat, '/api/account')).json.sessions
const age = (being: string, minutes: number) =>
  sql`update portal.session set created_at = clock_timestamp() - make_interval(mins => ${minutes}) where being = ${being}`.execute(
    at.world.owner,
  )
/** Routes of accounts and people that change something, with a body that each of them takes. */
const CHANGES: Readonly<Record<string, unknown>> = {
  '/api/account/password': { password: 'another long password' },
  '/api/account/passkeys': { name: 'key' },
  '/api/account/passkeys/made': {
    attempt: 'x',
    response: {
      id: 'x',
      rawId: 'x',
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON: 'x', attestationObject: 'x' },
    },
  },
  '/api/account/passkeys/rename': { id: 'x', name: 'y' },
  '/api/account/passkeys/signing': { id: 'x', signs: true },
  '/api/account/passkeys/remove': { id: 'x' },
  '/api/account/identity': { connect: true },
  '/api/account/identity/returned': { attempt: 'x', query: 'code=x' },
  '/api/account/identity/remove': { issuer: 'https://id.example' },
  '/api/account/terminal': { code: 'BCDF-GHJK' },
  '/api/account/terminal/allow': { code: 'BCDF-GHJK' },
  '/api/account/sessions/end': { which: 'others' },
  '/api/people/invite': { name: 'dan', hours: 24 },
  '/api/people/link': { stance: '@cleo', hours: 24 },
  '/api/people/revoke': { stance: '@cleo' },
  '/api/people/remove': { stance: '@cleo' },
}
/** Possible a quarter of an hour after signing in: they only take away, or look. */
const ALWAYS = ['/api/account/sessions/end', '/api/account/terminal', '/api/people/revoke']

it('these are all routes of accounts and people', () => {
  const routes = listRoutes(at.portal).filter(({ path }) => /^\/api\/(account|people)/.test(path))
  expect(routes.flatMap(({ method, path }) => (method === 'GET' ? [] : [path])).sort()).toEqual(
    Object.keys(CHANGES).sort(),
  )
  expect(routes.filter(({ method }) => method === 'GET').map(({ path }) => path)).toEqual([
    '/api/account',
    '/api/people',
  ])
})

describe('a session', () => {
  it.each(['password', 'link'])(
    'that an attacker chose is not taken over by a sign-in with a %s',
    async (way) => {
      const chosen = {
        cookie: `treeos-${new URL(at.origin).port}=${'A'.repeat(43)}`,
        'x-treeos-key': 'B'.repeat(43),
      }
      const [path, body] =
        way === 'password'
          ? ['/api/open/sign-in', { name: 'ada', password: PASSWORD }]
          : ['/api/open/link/use', { token: await at.linkFor('ada'), password: PASSWORD }]
      const answer = await at.ask(null, path, { method: 'POST', body: JSON.stringify(body), headers: chosen })
      const seat = seatIn(answer)
      expect(seat.cookie).not.toBe(chosen.cookie)
      expect(seat.key).not.toBe(chosen['x-treeos-key'])
      expect((await at.ask(null, '/api/session', { headers: chosen })).status).toBe(401)
      expect(await lives(seat)).toBe(true) // control
    },
  )

  it('of an attacker, in the browser that signs in, is not that of the person', async () => {
    const headers = { cookie: bob.cookie, 'x-treeos-key': bob.key }
    const body = JSON.stringify({ name: 'ada', password: PASSWORD })
    const seat = seatIn(await at.ask(null, '/api/open/sign-in', { method: 'POST', body, headers }))
    expect((await at.ask(bob, '/api/session')).json.stance).toBe('@bob')
    expect((await at.ask(seat, '/api/session')).json.stance).toBe('@ada')
  })

  it('is one of its own for each of many that sign in at once', async () => {
    const seats = (await Promise.all(Array.from({ length: 3 }, () => signIn('ada')))).map(seatIn)
    expect(new Set(seats.map(({ cookie }) => cookie)).size).toBe(3)
    expect(new Set(seats.map(({ key }) => key)).size).toBe(3)
    await end(seats[0]!, (await sessionsOf(seats[0]!)).find(({ isThis }: { isThis: boolean }) => isThis).id)
    expect(await Promise.all(seats.map(lives))).toEqual([false, true, true])
  })

  it('gets a new secret at each inhabiting, which opens no session', async () => {
    const handles: string[] = []
    for (let i = 0; i < 2; i++) {
      const { json } = await at.post(ada, '/api/inhabit', { being: '@kid' })
      handles.push(json.handle)
      await at.post({ ...ada, tab: json.handle }, '/api/inhabit/release', {})
    }
    const [one = '', other = ''] = handles
    expect(one).not.toBe(other)
    for (const half of [one, other]) {
      const port = new URL(at.origin).port
      for (const headers of [
        { cookie: `treeos-${port}=${half}`, 'x-treeos-key': ada.key },
        { cookie: ada.cookie, 'x-treeos-key': half },
      ])
        expect((await at.ask(null, '/api/session', { headers })).status).toBe(401)
    }
  })

  it('opens nothing after its person signed out, on any route', async () => {
    const routes = listRoutes(at.portal).filter(
      ({ path }) =>
        !/^\/api\/(open|v1\/terminals)/.test(path) &&
        path !== '/api/v1/openapi.json' &&
        !path.includes('/.well-known/'),
    )
    await at.post(ada, '/api/sign-out', {})
    for (const [i, { method, path }] of routes.entries()) {
      if (i % 30 === 29) await at.serveAnew() // strangers are slowed
      const { status } = await at.ask(ada, path, { method, ...(method === 'GET' ? {} : { body: '{}' }) })
      expect(status, `${method} ${path}`).toBe(401)
    }
  })

  it('and all others end when one signs out everywhere', async () => {
    const other = await at.sit('ada')
    expect((await end(ada, 'all')).json).toEqual({ ended: 2 })
    expect([await lives(ada), await lives(other), await lives(bob)]).toEqual([false, false, true])
  })

  it('remains when one signs out elsewhere', async () => {
    const others = [await at.sit('ada'), await at.sit('ada')]
    expect((await end(ada, 'others')).json).toEqual({ ended: 2 })
    expect([await lives(ada), ...(await Promise.all(others.map(lives)))]).toEqual([true, false, false])
  })

  it('is ended by its person alone', async () => {
    const [{ id }] = await sessionsOf(ada)
    for (const seat of [bob, operator]) expect((await end(seat, id)).json).toEqual({ ended: 0 })
    expect(await lives(ada)).toBe(true)
    const other = await at.sit('ada')
    expect((await end(other, id)).json).toEqual({ ended: 1 }) // control
    expect(await lives(ada)).toBe(false)
  })

  it('that ended has no live stream, and drives nobody', async () => {
    const { json } = await at.post(ada, '/api/inhabit', { being: '@kid' })
    const stopping = new AbortController()
    const headers = { cookie: ada.cookie, 'x-treeos-key': ada.key }
    const live = await fetch(`${at.origin}/api/live`, { headers, signal: stopping.signal })
    const read = live.text()
    const other = await at.sit('ada')
    expect(await lives(other)).toBe(true)
    await end(other, 'others')
    expect(await read).toContain('event: begin') // it ended, and by itself
    expect((await at.ask({ ...ada, tab: json.handle }, '/api/session')).status).toBe(401)
    await until(async () => (await rowOf(at.world, 'kid')).inhabited?.by == null)
  })

  it('is the oldest one that ends when a person has more than 50', async () => {
    await sql`
      insert into portal.session (cookie_hash, key_hash, being, way, expires_at)
      select sha256(n::text::bytea), 'x', 'ada', 'password', clock_timestamp() + interval '1 day'
      from generate_series(1, 55) n`.execute(at.world.owner)
    await sql`update portal.session set seen_at = seen_at - interval '1 hour' where cookie_hash = sha256('7'::bytea)`.execute(
      at.world.owner,
    )
    const newest = seatIn(await signIn('ada'))
    expect(await sessionsOf(newest)).toHaveLength(50)
    const { rows } = await sql`select 1 from portal.session where cookie_hash = sha256('7'::bytea)`.execute(
      at.world.owner,
    )
    expect(rows).toEqual([])
  })

  it.each([
    ['idle', '71 hours 59 minutes', 'seen_at', true],
    ['idle', '72 hours 1 minute', 'seen_at', false],
    ['in all', '-1 minutes', 'expires_at', true],
    ['in all', '0 minutes', 'expires_at', false],
  ])('%s for %s (%s): holds %s', async (_what, ago, column, holds) => {
    await sql`update portal.session set ${sql.ref(column)} = clock_timestamp() - ${ago}::interval where being = 'ada'`.execute(
      at.world.owner,
    )
    expect(await lives(ada)).toBe(holds)
  })
})

describe('a session that somebody left open', () => {
  const late = Object.keys(CHANGES).filter((path) => !ALWAYS.includes(path))
  it.each(late)('changes nothing a quarter of an hour later: %s', async (path) => {
    await age('operator', 16)
    expect(await at.post(operator, path, CHANGES[path])).toMatchObject({
      status: 403,
      json: { context: { reason: 'sign-in-again' } },
    })
    await age('operator', 14) // control: it is reached
    expect((await at.post(operator, path, CHANGES[path])).json.context?.reason).not.toBe('sign-in-again')
  })

  it('still signs out elsewhere', async () => {
    await age('ada', 60)
    expect((await end(ada, 'others')).status).toBe(200)
  })
})

describe('a tab that drives a being', () => {
  it('reads and changes no account, of its driver or of anybody, on any of these routes', async () => {
    const { json } = await at.post(ada, '/api/inhabit', { being: '@kid' })
    const tab = { ...ada, tab: json.handle }
    const before = [await groundOf(at.world), (await at.ask(ada, '/api/account')).json.hasPassword]
    const tries: [string, unknown][] = [
      ['/api/account', null],
      ['/api/people', null],
      ...Object.entries(CHANGES),
    ]
    for (const [path, body] of tries) {
      const answer = body === null ? await at.ask(tab, path) : await at.post(tab, path, body)
      expect({ path, ...answer.json }).toMatchObject({
        path,
        code: 'FORBIDDEN',
        context: { reason: 'driving' },
      })
    }
    expect([await groundOf(at.world), (await at.ask(ada, '/api/account')).json.hasPassword]).toEqual(before)
    // Control: in another tab of the same session they are its own.
    expect((await at.ask(ada, '/api/account')).status).toBe(200)
    expect((await at.post(tab, '/api/inhabit/release', {})).status).toBe(200)
  })
})

describe('a password', () => {
  it('is changed, which ends the other sessions, and the old one opens nothing', async () => {
    const other = await at.sit('ada')
    const password = 'a wholly new password'
    expect((await at.post(ada, '/api/account/password', { password })).json).toEqual({ ended: 1 })
    expect([await lives(ada), await lives(other)]).toEqual([true, false])
    expect((await signIn('ada')).status).toBe(401)
    expect((await signIn('ada', password)).status).toBe(200)
    await at.enter('ada')
  })

  it('that is the last way in is not removed', async () => {
    expect(await at.post(ada, '/api/account/password', { password: null })).toMatchObject({
      status: 409,
      json: { code: 'RESOURCE_CONFLICT' },
    })
    expect((await signIn('ada')).status).toBe(200)
  })

  it('that is too short is refused', async () => {
    expect((await at.post(ada, '/api/account/password', { password: 'short' })).status).toBe(400)
  })

  it('of somebody without one is never right, tells nothing, and takes as long', async () => {
    await sql`update portal.account set password = null where being = 'bob'`.execute(at.world.owner)
    const timed = async (name: string) => {
      const startedAt = performance.now()
      const { status, json } = await signIn(name, 'a password')
      return { ms: performance.now() - startedAt, told: { status, json } }
    }
    await timed('nobody')
    const ratios: number[] = []
    for (let i = 0; i < 3; i++) {
      const [none, unknown, wrong] = [await timed('bob'), await timed(`nobody-${i}`), await timed('ada')]
      expect(none.told).toEqual(unknown.told)
      expect(none.told).toEqual(wrong.told)
      ratios.push(none.ms / unknown.ms)
    }
    const median = ratios.sort((a, b) => a - b)[1] ?? 0
    expect(median).toBeGreaterThan(0.4)
    expect(median).toBeLessThan(2.5)
  })

  it('sprayed over many names is slowed for all of them together', async () => {
    const statuses: number[] = []
    await Promise.all(
      Array.from({ length: 120 }, async (_, i) => {
        statuses.push((await signIn(`victim-${i}`, 'Spring2026!!')).status)
      }),
    )
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(60)
    expect(statuses).not.toContain(200)
    expect(await lives(ada)).toBe(true) // who is signed in goes on
  })
})

describe('the tables, stolen', () => {
  it('hold no secret, and what they hold opens nothing', async () => {
    const token = await at.linkFor('ada')
    const begun = (await at.post(null, '/api/open/passkey', { mediation: 'modal' })).json
    const { json: tab } = await at.post(ada, '/api/inhabit', { being: '@kid' })
    const { rows } = await sql<{ dump: string }>`
      select (select coalesce(jsonb_agg(to_jsonb(a)), '[]') from portal.account a)::text
        || (select coalesce(jsonb_agg(to_jsonb(s)), '[]') from portal.session s)::text
        || (select coalesce(jsonb_agg(to_jsonb(l)), '[]') from portal.link l)::text
        || (select coalesce(jsonb_agg(to_jsonb(p)), '[]') from portal.passkey p)::text
        || (select coalesce(jsonb_agg(to_jsonb(t)), '[]') from portal.attempt t)::text as dump`.execute(
      at.world.owner,
    )
    const dump = rows[0]?.dump ?? ''
    const secrets = [
      token,
      begun.attempt,
      begun.options.challenge,
      tab.handle,
      ada.key,
      ada.cookie.split('=')[1],
    ]
    for (const secret of secrets)
      for (const form of [
        secret,
        Buffer.from(secret).toString('hex'),
        Buffer.from(secret, 'base64url').toString('hex'),
      ])
        expect(dump).not.toContain(form)
    const hashes = [...dump.matchAll(/\\\\x([0-9a-f]{64})/g)].map(([, hex = '']) =>
      Buffer.from(hex, 'hex').toString('base64url'),
    )
    expect(hashes.length).toBeGreaterThan(7)
    await at.post({ ...ada, tab: tab.handle }, '/api/inhabit/release', {})
    const port = new URL(at.origin).port
    for (const stolen of hashes) {
      await at.serveAnew()
      const headers = { cookie: `treeos-${port}=${stolen}`, 'x-treeos-key': stolen }
      expect((await at.ask(null, '/api/session', { headers })).status).toBe(401)
      expect((await at.post(null, '/api/open/link/look', { token: stolen })).status).toBe(401)
    }
    expect((await at.post(null, '/api/open/link/look', { token })).status).toBe(200) // control
  })
})

describe('an invitation', () => {
  const invite = (seat: Seat, name: string, more = {}) =>
    at.post(seat, '/api/people/invite', { name, hours: 24, ...more })
  const peopleOf = async (seat: Seat) =>
    (await at.ask(seat, '/api/people')).json as {
      stance: string
      hasAccount: boolean
      invitation: { isOver: boolean } | null
    }[]
  const person = async (seat: Seat, stance: string) =>
    (await peopleOf(seat)).find((one) => one.stance === stance)

  it('brings a person in as a being of its own, which descends from who invited it', async () => {
    const { json, status } = await invite(ada, 'fay', { role: 'stage:free' })
    expect({ status, stance: json.stance }).toEqual({ status: 200, stance: '@fay' })
    expect(await person(ada, '@fay')).toMatchObject({
      hasAccount: false,
      invitation: { isOver: false, madeBy: '@ada' },
    })
    const fay = seatIn(await at.post(null, '/api/open/link/use', { token: json.token, password: PASSWORD }))
    expect((await at.ask(fay, '/api/session')).json).toMatchObject({ stance: '@fay', role: 'stage:free' })
    expect(await person(ada, '@fay')).toMatchObject({ hasAccount: true, invitation: null })
    expect((await at.ask(ada, '/api/v1/beings/fay')).status).toBe(200)
    expect(
      (await at.post(null, '/api/open/link/use', { token: json.token, password: PASSWORD })).status,
    ).toBe(401)
  })

  it('is an act: who may give birth to nobody invites nobody, and no link is made', async () => {
    const before = [await groundOf(at.world), await peopleOf(operator)]
    expect(await invite(bob, 'gus')).toMatchObject({ status: 403, json: { code: 'FORBIDDEN' } })
    expect([await groundOf(at.world), await peopleOf(operator)]).toEqual(before)
  })

  it('is revoked, and is over in time', async () => {
    const invited = [await invite(ada, 'hal'), await invite(ada, 'ivy', { hours: 1 })]
    expect(invited.map(({ status, json }) => [status, json.code])).toEqual([
      [200, undefined],
      [200, undefined],
    ])
    const [one, other] = invited.map(({ json }) => json)
    expect(await at.post(ada, '/api/people/revoke', { stance: '@hal' })).toMatchObject({ status: 200 })
    expect((await at.post(null, '/api/open/link/look', { token: one.token })).status).toBe(401)
    expect((await at.post(ada, '/api/people/revoke', { stance: '@hal' })).status).toBe(409)
    const { rows } = await sql<{ minutes: number }>`
      select extract(epoch from expires_at - clock_timestamp())::integer / 60 as minutes from portal.link where being = 'ivy'`.execute(
      at.world.owner,
    )
    expect(rows[0]?.minutes).toBeGreaterThan(57)
    expect(rows[0]?.minutes).toBeLessThanOrEqual(60)
    await sql`update portal.link set expires_at = clock_timestamp() where being = 'ivy'`.execute(
      at.world.owner,
    )
    expect((await at.post(null, '/api/open/link/look', { token: other.token })).status).toBe(401)
    expect(await person(ada, '@ivy')).toMatchObject({ invitation: { isOver: true } })
  })

  it.each([0, 169, 1.5, null])('for %s hours is refused, and nobody is born', async (hours) => {
    expect((await invite(ada, 'jon', { hours })).status).toBe(400)
    expect((await at.ask(operator, '/api/v1/beings/jon')).status).toBe(404)
  })

  it('shows and lets in own offspring alone, and takes away nobody else’s account', async () => {
    expect((await peopleOf(bob)).map(({ stance }) => stance)).toEqual(['@bob'])
    expect((await peopleOf(operator)).map(({ stance }) => stance)).toEqual(
      expect.arrayContaining(['@operator', '@ada', '@bob']),
    )
    const before = await peopleOf(operator)
    for (const [path, body] of [
      ['link', { stance: '@ada', hours: 1 }],
      ['link', { stance: '@operator', hours: 1 }],
      ['revoke', { stance: '@ada' }],
      ['remove', { stance: '@ada' }],
      ['remove', { stance: '@operator' }],
    ] as const)
      for (const seat of [bob, ...(body.stance === '@operator' ? [ada] : [])])
        expect((await at.post(seat, `/api/people/${path}`, body)).status, `${path} ${body.stance}`).toBe(403)
    expect(await peopleOf(operator)).toEqual(before)
    // no person
    expect((await at.post(operator, '/api/people/link', { stance: '@kid', hours: 1 })).status).toBe(400)
    expect((await at.post(operator, '/api/people/remove', { stance: '@operator' })).status).toBe(400)
  })

  it('is there again after an account was taken away, which signs out', async () => {
    expect((await at.post(operator, '/api/people/remove', { stance: '@bob' })).status).toBe(200)
    expect(await lives(bob)).toBe(false)
    expect((await signIn('bob')).status).toBe(401)
    expect(await person(operator, '@bob')).toMatchObject({ hasAccount: false })
    const { token } = (await at.post(operator, '/api/people/link', { stance: '@bob', hours: 24 })).json
    expect((await at.post(null, '/api/open/link/use', { token, password: PASSWORD })).status).toBe(200)
  })

  it('of a being that was ended does not exist', async () => {
    await invite(operator, 'kay')
    await act(at.world, 'operator', { verb: 'do', operation: 'end-being', target: '@kay', args: {} })
    expect(await person(operator, '@kay')).toBeUndefined()
    expect((await at.post(operator, '/api/people/link', { stance: '@kay', hours: 1 })).status).toBe(410)
  })
})

it('what an account answers is kept by no cache', async () => {
  const headers = { cookie: ada.cookie, 'x-treeos-key': ada.key }
  expect((await send(at.origin, '/api/account', { headers })).headers['cache-control']).toBe('no-store')
})
