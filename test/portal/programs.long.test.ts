/** What programs have beside the API: MCP on the same port, access tokens, and receipts. */
import { act, issueToken, moments } from '@treeos/client'
import type { BeingName, JsonObject } from '@treeos/core'
import { removeAccount } from '@treeos/portal'
import { findLease } from '@treeos/store'
import { verifyReceipt } from '@treeos/verify'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { live, until, wakesOf } from '../support/life.ts'
import { connectTo } from '../support/mcp.ts'
import { vouchFor } from '../support/outside-words.ts'
import { type Answered, PortalWorld, send } from '../support/portal.ts'

let at: PortalWorld
beforeAll(async () => {
  at = await PortalWorld.start()
})
afterAll(() => at?.close())

const tokenOf = async (being: BeingName, as = being) =>
  (await issueToken({ ...at.world, person: as }, { being, as })).secret

const asProgram = (secret: string, path: string, json?: unknown): Promise<Answered> => {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  if (json === undefined) return send(at.origin, path, { headers })
  return send(at.origin, path, { method: 'POST', headers, body: JSON.stringify(json) })
}

describe('MCP beside the API', () => {
  it.each(['2025', '2026'] as const)(
    'serves the protocol of %s to a token, and to nobody else',
    async (era) => {
      const client = await connectTo(`${at.origin}/mcp`, await tokenOf('ada'), { era })
      expect(await client.read('treeos://me')).toMatchObject({ being: '@ada' })
      const said = { target: '@kid', content: `hello ${era}`, waitSeconds: 20 }
      expect(await client.call('summon', said)).toMatchObject({
        value: { reply: { content: `hello ${era}` } },
      })
      if (era === '2025') await client.leave()
      else await client.client.close()
    },
  )

  it('asks for a token, however it is asked, and for the own origin of a page', async () => {
    const seat = await at.enter('cleo')
    const wrong = `Bearer treeos_${'x'.repeat(43)}`
    const odd: Record<string, string>[] = [
      {},
      { cookie: seat.cookie, 'x-treeos-key': seat.key },
      { authorization: wrong },
    ]
    for (const method of ['GET', 'POST', 'DELETE'])
      for (const headers of odd)
        expect(await send(at.origin, '/mcp', { method, headers })).toMatchObject({
          status: 401,
          json: { error: { code: 'UNAUTHORIZED' } },
          headers: { 'www-authenticate': expect.stringContaining('error="invalid_token"') },
        })
    const authorization = `Bearer ${await tokenOf('ada')}`
    const foreign = await send(at.origin, '/mcp', {
      headers: { authorization, origin: 'https://example.org' },
    })
    expect(foreign).toMatchObject({ status: 403, json: { code: 'FORBIDDEN' } })
  })

  it('counts guesses of tokens with the strangers, and acts with those by the API', async () => {
    await at.serveAnew({ actsPerMinute: 3 })
    const secret = await tokenOf('ada')
    const client = await connectTo(`${at.origin}/mcp`, secret)
    const change = { operation: 'set-being', target: '@ada', args: { field: 'mood.tone', value: 'calm' } }
    for (const by of ['mcp', 'api', 'mcp'])
      if (by === 'mcp') expect((await client.call('do', change)).isError).toBe(false)
      else expect((await asProgram(secret, '/api/v1/do', change)).status).toBe(200)
    expect(await client.call('do', change)).toMatchObject({ isError: true, value: { code: 'RATE_LIMITED' } })
    expect((await asProgram(secret, '/api/v1/do', change)).status).toBe(429)
    await client.leave()
    const guess = () => asProgram(`treeos_${'y'.repeat(43)}`, '/mcp', {})
    let limited = 0
    for (let round = 0; round < 20 && limited === 0; round++)
      limited = (await Promise.all(Array.from({ length: 50 }, guess))).filter(
        ({ status }) => status === 429,
      ).length
    expect(limited).toBeGreaterThan(0)
    await at.serveAnew()
  })

  it('gives a being back when its token is revoked, and when the portal ends', async () => {
    const { secret, id } = await issueToken({ ...at.world, person: 'ada' }, { being: 'kid', as: 'ada' })
    await connectTo(`${at.origin}/mcp`, secret)
    expect(await findLease(at.world.db, 'kid')).toMatchObject({ driver: 'ada' })
    expect((await asProgram(await tokenOf('ada'), '/api/v1/tokens/revoke', { id })).status).toBe(200)
    await until(async () => (await findLease(at.world.db, 'kid')) === null)
    await connectTo(`${at.origin}/mcp`, await tokenOf('kid', 'ada'))
    await at.serveAnew()
    expect(await findLease(at.world.db, 'kid')).toBeNull()
  })
})

describe('access tokens', () => {
  it('are made by a person who signed in lately, listed without a secret, and revoked', async () => {
    const ada = await at.enter('ada')
    const made = await at.post(ada, '/api/v1/tokens', { being: '@kid', days: 2 })
    expect(made.json).toMatchObject({ being: '@kid', issuedBy: '@ada', revokedAt: null })
    const { secret, ...token } = made.json
    expect((await asProgram(secret, '/api/v1/me')).json).toMatchObject({ being: '@kid' })
    const own = await at.post(ada, '/api/v1/tokens', {})
    expect(own.json).toMatchObject({ being: '@ada' })
    const listed = await at.ask(ada, '/api/v1/tokens?limit=1')
    expect(listed.json).toMatchObject({ items: [{ id: own.json.id }], next: own.json.id })
    expect(listed.text).not.toContain('secret')
    expect((await at.ask(ada, `/api/v1/tokens?cursor=${own.json.id}`)).json.items[0]).toEqual({
      ...token,
      terminal: null,
    })
    const revoked = await at.post(ada, '/api/v1/tokens/revoke', { id: token.id })
    expect(revoked.json).toMatchObject({ id: token.id, revokedAt: expect.any(String) })
    expect((await asProgram(secret, '/api/v1/me')).status).toBe(401)
  })

  it('make no others; are not made in a session that was left open, nor for a being of somebody else', async () => {
    const [ada, bob] = [await at.enter('ada'), await at.enter('bob')]
    const secret = await tokenOf('ada')
    expect(await asProgram(secret, '/api/v1/tokens', {})).toMatchObject({
      status: 403,
      json: { context: { reason: 'token' } },
    })
    expect((await at.post(bob, '/api/v1/tokens', { being: '@kid' })).json).toMatchObject({
      code: 'FORBIDDEN',
    })
    const { id } = (await at.post(ada, '/api/v1/tokens', {})).json
    expect((await at.ask(bob, '/api/v1/tokens')).text).not.toContain(id)
    expect((await at.post(bob, '/api/v1/tokens/revoke', { id })).json).toMatchObject({
      code: 'INVALID_INPUT',
    })
    // The token of a being that is no person manages none, not even its own.
    await until(async () => (await findLease(at.world.db, 'kid')) === null)
    const ofKid = await tokenOf('kid', 'ada')
    expect((await asProgram(ofKid, '/api/v1/tokens')).json).toMatchObject({ code: 'FORBIDDEN' })
    expect((await asProgram(ofKid, '/api/v1/tokens/revoke', { id })).json).toMatchObject({
      code: 'FORBIDDEN',
    })
    await sql`update portal.session set created_at = clock_timestamp() - interval '16 minutes'`.execute(
      at.world.owner,
    )
    expect((await at.post(ada, '/api/v1/tokens', {})).json).toMatchObject({
      context: { reason: 'sign-in-again' },
    })
    expect((await at.post(ada, '/api/v1/tokens/revoke', { id })).status).toBe(200)
  })
})

it('receipts are read one by one or page by page by the first operator, and check offline', async () => {
  await at.world.birthPuppet('clerk')
  const call = { verb: 'do', operation: 'set-being', args: { field: 'mood.tone', value: 'calm' } }
  for (const content of [{ call }, 'nothing to do', { call }]) await live(at.world, 'clerk', content)
  const operator = await tokenOf('operator')
  const lived = (await moments(at.world.db, 'clerk')).map(({ n }) => n)
  const items: { n: number; receipt: JsonObject | null; why?: string }[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`
    const { json } = await asProgram(operator, `/api/v1/beings/clerk/receipts?limit=2${query}`)
    items.push(...json.items)
    cursor = json.next
  }
  expect(items.map(({ n }) => n)).toEqual(lived.toReversed())
  const [newest, silent] = items
  expect(silent).toMatchObject({ receipt: null, why: expect.stringContaining('called nothing') })
  const checked = await verifyReceipt(JSON.stringify(newest?.receipt), {})
  expect(checked).toMatchObject({ status: expect.stringMatching(/ok|unproven/) })
  const one = await asProgram(operator, `/api/v1/beings/clerk/moments/${newest?.n}/receipt`)
  expect(one.json).toMatchObject({ payloadType: expect.any(String), signatures: [{}] })
  const refused = await asProgram(operator, `/api/v1/beings/clerk/moments/${silent?.n}/receipt`)
  expect(refused.json).toMatchObject({ code: 'INVALID_INPUT' })
  // It quotes what others may not see.
  const ada = await tokenOf('ada')
  for (const path of ['receipts', 'moments/1/receipt'])
    expect((await asProgram(ada, `/api/v1/beings/kid/${path}`)).json).toMatchObject({ code: 'FORBIDDEN' })
  expect(at.errors).toEqual([])
})

describe('the numbers of the reality', () => {
  const token = 'scrape-'.repeat(6)
  const scrape = (secret: string) =>
    send(at.origin, '/metrics', { headers: { authorization: `Bearer ${secret}` } })
  const numberIn = (text: string, series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.slice(series.length + 1) ?? Number.NaN,
    )

  it('are counted by class and model, and told to the first operator and to a scraper with its own token', async () => {
    await at.serveAnew({ scrapeToken: token })
    const before = (await scrape(token)).text
    const moved = 'treeos_reality_moments_total{cognition="scripted",outcome="act"}'
    for (const content of ['one', 'two']) await live(at.world, 'kid', content)
    const operator = await tokenOf('operator')
    const told = await asProgram(operator, '/api/v1/metrics')
    expect(told.headers['content-type']).toContain('openmetrics')
    expect(numberIn(told.text, moved)).toBe((numberIn(before, moved) || 0) + 2)
    expect(numberIn(told.text, 'treeos_reality_beings{cognition="human"}')).toBeGreaterThanOrEqual(4)
    expect(told.text.trimEnd().endsWith('# EOF')).toBe(true)
    for (const name of ['kid', 'ada', 'clerk']) expect(told.text).not.toContain(name)
  })

  it('are told to nobody else, and the token of a scraper opens nothing else', async () => {
    for (const secret of ['', 'x', await tokenOf('ada'), await tokenOf('operator')])
      expect(await scrape(secret)).toMatchObject({ status: 401, json: { code: 'UNAUTHORIZED' } })
    expect((await asProgram(await tokenOf('ada'), '/api/v1/metrics')).status).toBe(403)
    for (const path of ['/api/v1/metrics', '/api/v1/me', '/mcp'])
      expect((await asProgram(token, path)).status).toBe(401)
    await at.serveAnew()
    expect((await scrape(token)).text).not.toContain('treeos_reality')
  })
})

it('no program vouches for words from outside, by a token of a person', async () => {
  const secret = await tokenOf('ada')
  const vouching = { operation: 'vouch', target: '@ada', args: { seen: 'a'.repeat(64) } }
  const why = expect.stringContaining('only a person marks as trusted')
  const byApi = await asProgram(secret, '/api/v1/do', vouching)
  expect(byApi.json).toMatchObject({ code: 'FORBIDDEN', detail: why })
  const client = await connectTo(`${at.origin}/mcp`, secret)
  expect(await client.call('do', vouching)).toMatchObject({
    isError: true,
    value: { code: 'FORBIDDEN', message: why },
  })
  await client.leave()
  // Control: by the page the person may, and there is nothing to vouch for.
  const ada = await at.enter('ada')
  expect((await at.post(ada, '/api/v1/do', vouching)).json).toMatchObject({ code: 'RESOURCE_CONFLICT' })
})

it('what a program says and writes is from outside, at each door', async () => {
  const { world } = at
  const secret = await tokenOf('ada')
  const heard = async (being: BeingName) =>
    (await wakesOf(world, being)).findLast(({ kind }) => kind === 'summon')
  const stranger = { target: '@echo', content: 'hello' } // the operator made it
  const own = { name: 'pup', cognition: 'scripted', script: 'echo', role: 'stage:free' }
  expect((await asProgram(secret, '/api/v1/be', { operation: 'birth', args: own })).status).toBe(200)
  const client = await connectTo(`${at.origin}/mcp`, secret)
  const byApi = (path: string, body: JsonObject) => asProgram(secret, `/api/v1/${path}`, body)
  for (const say of [
    (said: JsonObject) => byApi('summon', said),
    (said: JsonObject) => client.call('summon', said),
  ]) {
    const before = (await heard('echo'))?.id
    await say(stranger)
    const wake = await until(async () => {
      const now = await heard('echo')
      return now?.id === before ? undefined : now
    })
    expect(wake).toMatchObject({ outside: true })
    // Also to a being that its own made, and so is what that one says then.
    await say({ target: '@pup', content: 'sit' })
    await until(async () => ((await heard('pup'))?.outside === true ? true : undefined))
    await until(async () => ((await heard('ada'))?.outside === true ? true : undefined))
    // Control: its person says the same on the page.
    await at.post(await at.enter('ada'), '/api/v1/summon', { target: '@pup', content: 'sit' })
    await until(async () => ((await heard('pup'))?.outside === undefined ? true : undefined))
    await until(async () => ((await heard('ada'))?.outside === undefined ? true : undefined))
  }
  const writing = { operation: 'set-being', args: { field: 'note.text', value: 'x' } }
  const kinds = ({ json, value }: { json?: unknown; value?: unknown }) => {
    const { facts = [] } = (json ?? value ?? {}) as { facts?: { kind: string }[] }
    return facts.map(({ kind }) => kind)
  }
  for (const write of [
    (call: JsonObject) => byApi('do', call),
    (call: JsonObject) => client.call('do', call),
  ]) {
    const marked = ['quality:set', 'origin:outside']
    expect(kinds((await write({ ...writing, target: '@pup' })) as never)).toEqual(marked)
    await vouchFor(world, '@pup')
    // Control: what holds no words, and what its person writes on the page.
    const flow = { operation: 'set-roleflow', target: '@pup', args: { flow: [] } }
    expect(kinds((await write(flow)) as never)).toEqual(['quality:set'])
    const onPage = await at.post(await at.enter('ada'), '/api/v1/do', { ...writing, target: '@pup' })
    expect(kinds(onPage as never)).toEqual(['quality:set'])
  }
  await client.leave()
})

it('what the token of another person asks for counts for that person, and not for the operator that made it', async () => {
  await at.serveAnew({ actsPerMinute: 5 })
  const secret = await tokenOf('cleo', 'operator')
  const ending = { operation: 'end-being', target: '@operator', args: {} }
  const codes: unknown[] = []
  for (let n = 0; n < 8; n++)
    codes.push(((await asProgram(secret, '/api/v1/do', ending)).json as { code?: string }).code)
  expect(codes).toEqual([...Array(5).fill('FORBIDDEN'), ...Array(3).fill('RATE_LIMITED')])
  const tells = async (person: BeingName) => {
    const doing = {
      operation: 'set-being',
      target: `@${person}`,
      args: { field: 'mood.tone', value: 'calm' },
    }
    return (await at.post(await at.enter(person), '/api/v1/do', doing)).status
  }
  expect(await tells('operator')).toBe(200)
  expect(await tells('cleo')).toBe(429) // control
  await at.serveAnew()
})

it('tokens end with the account of their person, and with the life of who made them', async () => {
  const birth = {
    operation: 'birth',
    args: { name: 'dan', cognition: 'scripted', script: 'echo', role: 'stage:free' },
  }
  const cleo = await tokenOf('cleo')
  expect((await asProgram(cleo, '/api/v1/be', birth)).status).toBe(200)
  const dot = { ...birth, args: { ...birth.args, name: 'dot' } }
  expect((await asProgram(cleo, '/api/v1/be', dot)).status).toBe(200)
  const person = { name: 'eve', cognition: 'human', role: 'stage:free' }
  expect((await asProgram(cleo, '/api/v1/be', { ...birth, args: person })).status).toBe(200)
  await expect(tokenOf('eve', 'cleo'), 'nobody acts as a person it made').rejects.toMatchObject({
    code: 'FORBIDDEN',
  })
  const dan = await tokenOf('dan', 'cleo')
  expect((await asProgram(dan, '/api/v1/me')).json).toMatchObject({ being: '@dan' })
  await at.enter('cleo')
  await removeAccount(at.store, 'cleo')
  for (const secret of [cleo, dan]) expect((await asProgram(secret, '/api/v1/me')).status).toBe(401)
  // Another one, made on the machine of the instance, ends with its maker.
  const later = await tokenOf('dot', 'cleo')
  expect((await asProgram(later, '/api/v1/me')).status).toBe(200)
  await act(at.world, 'operator', { verb: 'do', operation: 'end-being', target: '@cleo', args: {} })
  expect((await asProgram(later, '/api/v1/me')).json).toMatchObject({ code: 'BEING_ENDED' })
})
