import { inbox, moments, revokeToken } from '@treeos/client'
import type { BeingName } from '@treeos/core'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { groundOf, until } from '../../support/life.ts'
import { connectTo, EdgeWorld, INITIALIZE, type Outside, refusalIn } from '../../support/mcp.ts'
import { expectReplays, expectUnbroken } from '../../support/replays.ts'

let at: EdgeWorld
beforeAll(async () => {
  at = await EdgeWorld.start()
})
afterEach(() => at.dismiss())
afterAll(() => at?.close())

describe('without an identity', () => {
  it.each<[string, Record<string, string>]>([
    ['no token', {}],
    ['an empty token', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: 'Basic b3BlcmF0b3I6eA==' }],
    ['a wrong token', { authorization: `Bearer treeos_${'A'.repeat(43)}` }],
    ['a malformed token', { authorization: 'Bearer @operator' }],
  ])('%s: UNAUTHORIZED, and no birth', async (_what, headers) => {
    const before = await groundOf(at.world)
    for (const body of [
      INITIALIZE,
      {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: {
          name: 'be',
          arguments: { operation: 'birth', args: { name: 'nobody', cognition: 'human' } },
        },
      },
    ]) {
      const response = await at.raw(headers, body)
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
      expect(await refusalIn(response)).toMatchObject({ code: 'UNAUTHORIZED' })
    }
    expect(await groundOf(at.world)).toEqual(before)
  })

  it('the client of the SDK gets nowhere either', async () => {
    await expect(connectTo(at.edge.url, null)).rejects.toThrow()
    await expect(connectTo(at.edge.url, null, { era: '2026' })).rejects.toThrow()
  })

  it('an expired token opens nothing', async () => {
    const { id, secret } = await at.tokenFor('bob')
    expect((await at.raw({ authorization: `Bearer ${secret}` })).status).toBe(200)
    await expireToken(id)
    const { status, headers } = await at.raw({ authorization: `Bearer ${secret}` })
    expect(status).toBe(401)
    // It says why, and names no server where a client could ask for another one.
    expect(headers.get('www-authenticate')).toMatch(
      /^Bearer realm="treeos", error="invalid_token", error_description=".*has expired at /,
    )
    expect(headers.get('www-authenticate')).not.toContain('resource_metadata')
  })

  it.each(['*/*', 'application/*, text/*;q=0.5', 'Application/JSON,TEXT/event-stream'])(
    'a client may accept answers in any way of HTTP: %s',
    async (accept) => {
      const { secret } = await at.tokenFor('bob')
      expect((await at.raw({ authorization: `Bearer ${secret}`, accept })).status).toBe(200)
      expect((await at.raw({ authorization: `Bearer ${secret}`, accept: 'text/html' })).status).toBe(406)
      expect(at.edge.errors.splice(0)).toMatchObject([{ where: 'session' }])
    },
  )

  it.each<[method: string, headers: Record<string, string>, status: number]>([
    ['POST', {}, 200],
    ['POST', { 'content-type': 'application/json; charset=utf-8' }, 200],
    ['POST', { 'content-type': 'text/plain' }, 415],
    ['GET', {}, 400],
    ['HEAD', {}, 405],
    ['PUT', {}, 405],
  ])('%s with %j is answered %i', async (method, headers, status) => {
    const { secret } = await at.tokenFor('bob')
    const answered = await fetch(at.edge.url, {
      method,
      headers: { authorization: `Bearer ${secret}`, accept: '*/*', ...headers },
      ...(method === 'POST' ? { body: Buffer.from(JSON.stringify(INITIALIZE)) } : {}),
    })
    await answered.text()
    expect([answered.status, answered.headers.get('allow')]).toEqual([
      status,
      status === 405 ? 'GET, POST, DELETE' : null,
    ])
    at.edge.errors.splice(0)
  })

  it.each(['2025', '2026'] as const)(
    'a revoked token stops at once, in an open session of %s too, and the being is freed',
    async (era) => {
      const { id, secret } = await at.tokenFor('oracle')
      const oracle = await at.outside(secret, { era })
      expect(await oracle.call('see', { address: '@operator' })).toMatchObject({ isError: false })
      expect(await at.isDriven('oracle')).toBe(true)
      const before = (await moments(at.world.db, 'oracle')).length
      await revokeToken(at.world, { id, as: 'operator' })
      await expect(oracle.call('do', { operation: 'move', target: '/', args: {} })).rejects.toThrow()
      await until(async () => !(await at.isDriven('oracle')), { seconds: 6 })
      expect((await moments(at.world.db, 'oracle')).length).toBe(before)
    },
  )
})

/** Time passes for one token only: an update that the product's own role and triggers forbid. */
async function expireToken(id: string): Promise<void> {
  await at.world.owner.transaction().execute(async (tx) => {
    await sql`alter table treeos.token disable trigger token_is_only_revoked`.execute(tx)
    await sql`update treeos.token set expires_at = clock_timestamp() where id = ${id}`.execute(tx)
    await sql`alter table treeos.token enable trigger token_is_only_revoked`.execute(tx)
  })
}

describe('whom a token is of', () => {
  it.each<[string, BeingName, BeingName]>([
    ['an elder', 'operator', 'ada'],
    ['a sibling', 'bob', 'ada'],
    ['a stranger', 'oracle', 'ada'],
  ])('not %s: @%s does not descend from @%s', async (_who, being, as) => {
    await expect(at.tokenFor(being, as)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining(`@${being} does not descend from @${as}`),
    })
    expect(
      await at.world.owner
        .selectFrom('token')
        .select('id')
        .where('issued_by', '=', 'ada')
        .where('being', '=', being)
        .execute(),
    ).toEqual([])
  })

  it('a token of one being acts as no other, whatever is said', async () => {
    const bob = await at.asBeing('bob')
    await at.expectNothing(
      bob,
      'do',
      { operation: 'create-space', target: '/', args: { path: '/b' }, as: '@ada' },
      'INVALID_INPUT',
    )
    await at.expectNothing(
      bob,
      'summon',
      { target: '@operator', content: 'hi', from: '@ada' },
      'INVALID_INPUT',
    )
    await bob.call('summon', { target: '@operator', content: 'by bob' })
    expect((await inbox(at.world, 'operator')).at(-1)).toMatchObject({ from: '@bob', content: 'by bob' })
  })

  it('a session belongs to the token that opened it', async () => {
    const ada = await at.asBeing('ada')
    const other = await at.tokenFor('bob')
    const headers = { 'mcp-session-id': ada.session ?? '', 'mcp-protocol-version': '2025-06-18' }
    const call = {
      jsonrpc: '2.0',
      id: 9,
      method: 'tools/call',
      params: { name: 'see', arguments: { address: '/' } },
    }
    const refused = await at.raw({ ...headers, authorization: `Bearer ${other.secret}` }, call)
    expect(refused.status).toBe(403)
    expect(await refusalIn(refused)).toMatchObject({ code: 'FORBIDDEN' })
    // Nor another token of the same being.
    const second = await at.tokenFor('ada')
    expect((await at.raw({ ...headers, authorization: `Bearer ${second.secret}` }, call)).status).toBe(403)
    expect(await ada.call('see', { address: '/' })).toMatchObject({ isError: false })
  })

  it('an unknown session is refused, and so is a request that opens none', async () => {
    const { secret } = await at.tokenFor('bob')
    const authorization = `Bearer ${secret}`
    const unknown = await at.raw({ authorization, 'mcp-session-id': crypto.randomUUID() })
    expect([unknown.status, (await refusalIn(unknown)).code]).toEqual([404, 'CORRELATION_NOT_FOUND'])
    const none = await at.raw({ authorization }, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
    expect([none.status, (await refusalIn(none)).code]).toEqual([400, 'INVALID_INPUT'])
  })

  it('one token opens 8 sessions; a ninth closes the longest unused', async () => {
    const { secret } = await at.tokenFor('bob')
    const opened: Outside[] = []
    for (let n = 0; n < 9; n++) opened.push(await at.outside(secret))
    await expect(opened[0]!.call('see', { address: '/' })).rejects.toThrow()
    expect(await opened[1]!.call('see', { address: '/' })).toMatchObject({ isError: false })
    expect(await opened[8]!.call('see', { address: '/' })).toMatchObject({ isError: false })
  })
})

describe('requests that reach the server', () => {
  it('of the request: too large, no JSON, another path, another name, another site', async () => {
    const { secret } = await at.tokenFor('bob')
    const authorization = `Bearer ${secret}`
    const told = async (response: Response) => [response.status, (await refusalIn(response)).code]
    const large = JSON.stringify({
      ...INITIALIZE,
      params: { ...INITIALIZE.params, x: 'x'.repeat(1024 * 1024) },
    })
    expect(await told(await at.raw({ authorization }, large))).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(await told(await at.raw({ authorization }, '{'))).toEqual([400, 'INVALID_INPUT'])
    expect(await told(await at.raw({ authorization }, INITIALIZE, '/admin'))).toEqual([
      404,
      'ACTION_NOT_SUPPORTED',
    ])
    expect(await told(await at.raw({ authorization, origin: 'https://evil.example' }))).toEqual([
      403,
      'FORBIDDEN',
    ])
    expect((await at.raw({ authorization, origin: 'http://localhost:3000' })).status).toBe(200)
    expect(await hostRefused('evil.example')).toBe(403)
    expect(await hostRefused('127.0.0.1')).toBe(401)
  })
})

/** `fetch` does not let the caller set Host. @returns the status */
async function hostRefused(host: string): Promise<number> {
  const { request } = await import('node:http')
  return new Promise((resolve, reject) => {
    const asking = request(at.edge.url, { method: 'POST', headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    asking.on('error', reject)
    asking.end()
  })
}

it('every moment that a client caused replays identically, and no error went unreported', async () => {
  expect(at.edge.errors).toEqual([])
  await expectUnbroken(at.world)
  const { moments: lived } = await expectReplays(at.world)
  expect(lived).toBeGreaterThan(8)
})
