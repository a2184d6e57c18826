/** The API as programs use it: with access tokens, and as it describes itself. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  act,
  Seat as BeingSeat,
  issueToken,
  moments,
  releaseLease,
  revokeToken,
  summon,
  takeLease,
} from '@treeos/client'
import type { BeingName, JsonObject } from '@treeos/core'
import { findLease } from '@treeos/store'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rowOf, until } from '../support/life.ts'
import { IS_NIGHT } from '../support/night.ts'
import { type Answered, PortalWorld, type Seat, send } from '../support/portal.ts'

let at: PortalWorld
let ada: Program & { readonly id: string }
let bob: Program
beforeAll(async () => {
  at = await PortalWorld.start()
  ada = await program('ada')
  bob = await program('bob')
})
afterAll(() => at?.close())

interface Program {
  readonly token: string
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Answered>
  readonly post: (path: string, json: unknown, headers?: Record<string, string>) => Promise<Answered>
}

/** A program with a token: it sends neither a cookie nor an origin. */
async function program(being: BeingName, as: BeingName = being): Promise<Program & { readonly id: string }> {
  const { secret, id } = await issueToken({ ...at.world, person: as }, { being, as })
  const own = { authorization: `Bearer ${secret}` }
  return {
    id,
    token: secret,
    get: (path, headers = {}) => send(at.origin, path, { headers: { ...own, ...headers } }),
    post: (path, json, headers = {}) =>
      send(at.origin, path, {
        method: 'POST',
        headers: { ...own, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(json),
      }),
  }
}

describe('a program with a token', () => {
  it('acts as its being, whatever cookie and origin it sends', async () => {
    const seat: Seat = await at.enter('cleo')
    const odd = { cookie: seat.cookie, 'x-treeos-key': seat.key, origin: 'https://example.org' }
    for (const headers of [{}, odd])
      expect((await ada.get('/api/v1/me', headers)).json).toMatchObject({ being: '@ada' })
  })

  it('is refused in problem details without one, with a wrong one, and with one that was revoked', async () => {
    const gone = await program('cleo')
    await revokeToken({ ...at.world, person: 'cleo' }, { id: gone.id, as: 'cleo' })
    const wrong = { authorization: `Bearer treeos_${'x'.repeat(43)}` }
    const refused = [
      await send(at.origin, '/api/v1/me'),
      await send(at.origin, '/api/v1/me', { headers: wrong }),
      await gone.get('/api/v1/me'),
      await ada.get('/api/session'), // the page's own
      await ada.get('/api/account'),
    ]
    for (const { status, headers, json } of refused) {
      expect({ status, ...headers, ...json }).toMatchObject({
        status: 401,
        'content-type': 'application/problem+json',
        'www-authenticate': 'Bearer realm="treeos"',
        type: 'urn:treeos:problem:unauthorized',
        title: 'Unauthorized',
        code: 'UNAUTHORIZED',
        detail: expect.any(String),
      })
    }
    expect((await gone.get('/api/v1/me')).json.detail).toContain('revoked')
  })

  it.each<[string, string, Record<string, string>, number]>([
    ['POST', '/api/v1/do', {}, 401],
    ['POST', '/api/v1/do', { 'content-type': 'application/json' }, 401],
    ['POST', '/v1/chat/completions', {}, 401],
    ['POST', '/a2a/kid', {}, 401],
    ['POST', '/ag-ui/kid', {}, 401],
    ['POST', '/api/v1/do', { cookie: 'treeos=x' }, 401],
    ['POST', '/api/v1/do', { origin: 'https://evil.example', 'content-type': 'application/json' }, 403],
    ['POST', '/api/sign-in', {}, 403],
    ['HEAD', '/api/v1/me', {}, 401],
    ['HEAD', '/api/v1/journal', {}, 401],
    ['POST', '/v1//chat/completions', {}, 401],
    ['POST', '//api//v1//do', { cookie: 'treeos=x' }, 401],
  ])('%s %s with %j and without a token is answered %i', async (method, path, headers, status) => {
    const asked = { method, headers, ...(method === 'HEAD' ? {} : { body: '{}' }) }
    const answered = await fetch(`${at.origin}${path}`, asked)
    expect(answered.status).toBe(status)
    expect(answered.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer realm="treeos"' : null)
  })

  it('takes a body without a type as JSON, and names another type', async () => {
    const asked = (type: string | null) =>
      fetch(`${at.origin}/api/v1/do`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ada.token}`, ...(type === null ? {} : { 'content-type': type }) },
        body: Buffer.from('{"operation":"no-such"}'), // a refusal that names it shows that it was read
      })
    expect((await asked(null)).status).toBe(404)
    expect((await asked('application/json; charset=utf-8')).status).toBe(404)
    const form = await asked('application/x-www-form-urlencoded')
    expect([form.status, await form.json()]).toEqual([
      400,
      expect.objectContaining({
        detail: 'the body is "application/x-www-form-urlencoded"; it takes application/json',
      }),
    ])
    const head = await fetch(`${at.origin}/api/v1/me`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${ada.token}` },
    })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it.each(['12345678901234567890', '1e400', '-9007199254740992'])(
    'refuses the number %s by its place, since it would be another one',
    async (number) => {
      const answered = await fetch(`${at.origin}/api/v1/do`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' },
        body: `{"target":"/","operation":"set-world-signal","args":{"namespace":"x","key":"y","value":${number}}}`,
      })
      expect([answered.status, ((await answered.json()) as { detail: string }).detail]).toEqual([
        400,
        expect.stringMatching(/^call: \$\["args"\]\["value"\]: /),
      ])
    },
  )

  it('calls the four verbs', async () => {
    expect((await ada.get('/api/v1/see?address=/library')).json).toMatchObject({
      address: { path: '/library' },
    })
    const moved = await ada.post('/api/v1/do', { target: '/library', operation: 'move' })
    expect(moved.json).toMatchObject({ act: expect.any(String), facts: expect.any(Array) })
    expect(await rowOf(at.world, 'ada')).toMatchObject({ space: '/library' })
    const args = { name: 'pip', cognition: 'scripted', script: 'echo', role: 'stage:free' }
    expect((await ada.post('/api/v1/be', { operation: 'birth', args })).status).toBe(200)
    const said = await ada.post('/api/v1/summon', { target: '@pip', content: 'hello', waitSeconds: 30 })
    expect(said.json).toMatchObject({
      moment: { n: 1, outcome: 'act' },
      reply: { from: '@pip', content: 'hello' },
    })
    const sent = await ada.post('/api/v1/summon', { target: '@pip', content: 'later' })
    expect(sent.json).toEqual({ correlation: expect.any(String), moment: null, reply: null })
  })

  it('reads a call under the other names of its fields, and refuses one under both', async () => {
    const value = `tone-${Date.now()}`
    const payload = { field: 'mood.tone', value }
    const set = await ada.post('/api/v1/do', { action: 'set-being', target: '@ada', payload })
    expect(set.json).toMatchObject({ act: expect.any(String) })
    expect(await rowOf(at.world, 'ada')).toMatchObject({ qualities: { mood: { tone: value } } })
    const kid = { name: 'pop', cognition: 'scripted', script: 'echo', role: 'stage:free' }
    const born = await ada.post('/api/v1/be', { action: 'birth', payload: kid })
    expect(born.json).toMatchObject({ result: { being: 'pop' } })
    const both = await ada.post('/api/v1/do', { operation: 'move', action: 'move', target: '/' })
    expect([both.status, both.json.code]).toEqual([400, 'INVALID_INPUT'])
    expect(both.json.detail).toContain('give operation')
  })

  it('is told with our codes what is refused, and what would be right', async () => {
    const refusals: [Promise<Answered>, number, string, string][] = [
      [bob.post('/api/v1/do', { target: '/', operation: 'create-space' }), 403, 'FORBIDDEN', 'create-space'],
      [ada.post('/api/v1/do', { operation: 7 }), 400, 'INVALID_INPUT', 'operation'],
      [ada.post('/api/v1/do', { operation: 'move', as: '@bob' }), 400, 'INVALID_INPUT', '"as"'],
      [ada.post('/api/v1/summon', { target: '@ada' }), 400, 'INVALID_INPUT', 'content'],
      [
        ada.post('/api/v1/inbox/reply', { correlation: 'x', content: 1 }),
        404,
        'CORRELATION_NOT_FOUND',
        'inbox',
      ],
      [ada.get('/api/v1/threads?cursor=x'), 400, 'INVALID_INPUT', 'cursor'],
      [ada.get('/api/v1/inbox?cursor=x'), 400, 'INVALID_INPUT', 'entry'],
      [ada.get('/api/v1/nothing'), 404, 'ACTION_NOT_SUPPORTED', 'address'],
    ]
    for (const [asked, status, code, part] of refusals) {
      const answered = await asked
      expect(answered).toMatchObject({
        status,
        json: { code, status, detail: expect.stringContaining(part) },
      })
    }
    const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' }
    const broken = await send(at.origin, '/api/v1/do', { method: 'POST', headers, body: '{' })
    expect(broken).toMatchObject({ status: 400, json: { code: 'INVALID_INPUT' } })
    expect(at.errors).toEqual([])
  })

  it('is told what is wrong with what Postgres could not read, and nothing fails', async () => {
    const nul = 'a\0b'
    const asked = [
      ada.get('/api/v1/beings/ada/moments?cursor=2147483648'),
      ada.get(`/api/v1/threads?cursor=${'9'.repeat(15)}`),
      ada.get('/api/v1/inbox?cursor=%00'),
      ada.get('/api/v1/threads/%00'),
      ada.get('/api/v1/addresses?text=%00'),
      ada.get('/api/v1/see?address=%00'),
      ada.get('/api/v1/beings/%00'),
      ada.post('/api/v1/inbox/reply', { correlation: nul, content: 'x' }),
      ada.post('/api/v1/inbox/close', { how: 'read', entries: [nul] }),
      ada.post('/api/v1/approvals/approve', { id: nul }),
      ada.post('/api/v1/summon', { target: '@kid', content: 'x', thread: nul }),
      ada.post('/api/v1/summon', { target: '@kid', content: 'x', channel: nul }),
      ada.post('/api/v1/overlays', { tier: 'account', name: nul, content: 'x' }),
    ]
    for (const { status, json } of await Promise.all(asked)) {
      const isTold = status === 200 || (status >= 400 && status < 500)
      expect({ isTold, json: isTold ? null : json }).toEqual({ isTold: true, json: null })
    }
    expect(at.errors).toEqual([])
  })

  it('may send a body in pieces that says no length, within the same bound', async () => {
    const inPieces = (text: string) =>
      fetch(`${at.origin}/api/v1/do`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' },
        body: ReadableStream.from(
          [text.slice(0, 9), text.slice(9)].map((part) => new TextEncoder().encode(part)),
        ),
        duplex: 'half',
      } as RequestInit)
    const call = (value: string) =>
      JSON.stringify({ operation: 'set-being', target: '@ada', args: { field: 'mood.tone', value } })
    expect((await inPieces(call('calm'))).status).toBe(200)
    expect((await inPieces(call('x'.repeat(500_000)))).status).toBe(413)
  })

  it('waits no longer when its token is revoked', async () => {
    const cleo = await program('cleo')
    const waiting = cleo.post('/api/v1/summon', {
      target: '@operator',
      content: 'Are you there?',
      waitSeconds: 60,
    })
    await until(async () => (await moments(at.world.db, 'cleo')).length > 0)
    await revokeToken({ ...at.world, person: 'cleo' }, { id: cleo.id, as: 'cleo' })
    expect(await waiting).toMatchObject({ status: 409, json: { code: 'CANCELLED' } })
  })

  it('drives a being that is no person, and gives it back', async () => {
    const kid = await program('kid', 'ada')
    expect((await kid.get('/api/v1/me')).json).toMatchObject({ being: '@kid' })
    expect(await findLease(at.world.db, 'kid')).toMatchObject({ driver: 'ada' })
    expect((await kid.post('/api/v1/do', { target: '/library', operation: 'move' })).status).toBe(200)
    expect((await moments(at.world.db, 'kid')).at(-1)).toMatchObject({ driver: '@ada', outcome: 'act' })
    expect((await kid.get('/api/v1/overlays')).json).toMatchObject({ code: 'FORBIDDEN' }) // persons alone
    await at.serveAnew()
    await until(async () => (await findLease(at.world.db, 'kid')) === null)
  })
})

describe('the being of a token', () => {
  const births = (names: readonly string[]) =>
    Promise.all(
      names.map((name) => {
        const args = { name, cognition: 'scripted', script: 'echo', role: 'stage:free' }
        return act({ ...at.world, person: 'ada' }, 'ada', { verb: 'be', operation: 'birth', args })
      }),
    )

  it('is not driven by a request that waited for its turn while the token was revoked', async () => {
    const asked = async (meanwhile: () => Promise<unknown>) => {
      const held = await Promise.all([1, 2].map(() => slowly('/api/v1/roles/check')))
      const waiting = ada.post('/api/v1/roles/check', { role: {} })
      await sleep(200)
      await meanwhile()
      for (const { end } of held) end()
      return [...(await Promise.all(held.map(({ status }) => status))), (await waiting).status]
    }
    expect(await asked(async () => undefined)).toEqual([200, 200, 200])
    const revoke = () => revokeToken({ ...at.world, person: 'ada' }, { id: ada.id, as: 'ada' })
    expect(await asked(revoke)).toEqual([401, 401, 401])
    ada = await program('ada')
  })

  it('costs its person an act, and one that is refused is refused again for some seconds without another', async () => {
    await births(['taken'])
    const own = { ...at.world, person: 'ada' }
    const lease = await takeLease(own, { being: 'taken', as: 'ada' })
    const before = (await moments(at.world.db, 'ada')).length
    const taken = await program('taken', 'ada')
    for (const _ of [1, 2, 3])
      expect(await taken.get('/api/v1/me')).toMatchObject({
        status: 409,
        json: { code: 'RESOURCE_CONFLICT' },
      })
    expect(await moments(at.world.db, 'ada')).toHaveLength(before + 1)
    await releaseLease(own, lease)
  })

  // It makes 25 beings, and their tokens.
  if (IS_NIGHT)
    it('is one of at most 24 that a person drives at once', async () => {
      await at.serveAnew({ actsPerMinute: 1000 })
      const names = Array.from({ length: 25 }, (_, i) => `many-${i}`)
      await births(names)
      const asked = []
      for (const name of names) asked.push((await (await program(name, 'ada')).get('/api/v1/me')).status)
      expect(asked).toEqual([...Array(24).fill(200), 429])
      await at.serveAnew()
    })

  it('is driven by the lease that the seat took, and by no later one of the same person', async () => {
    await births(['pawn'])
    const own = { ...at.world, person: 'ada' }
    const seat = new BeingSeat(own, { being: 'pawn', issuer: 'ada', person: 'ada' }, () => undefined, {
      beginCall: () => () => undefined,
      act: async () => undefined,
    })
    const move = { verb: 'do', operation: 'move', target: '/library', args: {} } as const
    await seat.use(async (at, being) => {
      await act(at, being, move)
      const { epoch } = (await findLease(at.db, 'pawn')) ?? { epoch: 0 }
      await releaseLease(own, { being: 'pawn', driver: 'ada', epoch })
      const later = await takeLease(own, { being: 'pawn', as: 'ada' })
      await expect(act(at, being, move)).rejects.toMatchObject({ code: 'FORBIDDEN' })
      await releaseLease(own, later)
    })
    await seat.close()
    await expect(seat.take()).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  /** A request whose body comes only when it is told to: it holds its turn until then. */
  async function slowly(path: string) {
    const gate = Promise.withResolvers<void>()
    async function* body() {
      yield new TextEncoder().encode('{"role":')
      await gate.promise
      yield new TextEncoder().encode('{}}')
    }
    const status = fetch(`${at.origin}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' },
      body: ReadableStream.from(body()),
      duplex: 'half',
    } as RequestInit).then((answer) => answer.status)
    await sleep(100)
    return { status, end: () => gate.resolve() }
  }
})

describe('an idempotency key', () => {
  const keyed = (key: string) => ({ 'idempotency-key': key })

  it('makes of requests that are sent again one summon, with the same answer', async () => {
    const said = { target: '@kid', content: 'once', waitSeconds: 30 }
    const before = (await moments(at.world.db, 'kid')).length
    const all = await Promise.all([1, 2, 3].map(() => ada.post('/api/v1/summon', said, keyed('a'))))
    all.push(await ada.post('/api/v1/summon', said, keyed('a')))
    expect(new Set(all.map(({ text }) => text)).size).toBe(1)
    expect(all[0]).toMatchObject({ status: 200, json: { reply: { content: 'once' } } })
    expect((await moments(at.world.db, 'kid')).length).toBe(before + 1)
  })

  it('names one request of one being: with another body it is a conflict, of another being another request', async () => {
    const first = await ada.post('/api/v1/do', { target: '/', operation: 'move' }, keyed('b'))
    const other = await ada.post('/api/v1/do', { target: '/library', operation: 'move' }, keyed('b'))
    expect(other).toMatchObject({ status: 409, json: { code: 'RESOURCE_CONFLICT' } })
    const again = await ada.post('/api/v1/do', { target: '/', operation: 'move' }, keyed('b'))
    expect(again.json).toEqual(first.json)
    const ofBob = await bob.post('/api/v1/do', { target: '/', operation: 'move' }, keyed('b'))
    expect(ofBob.json.act).not.toBe(first.json.act)
  })

  it('repeats a refusal too', async () => {
    const asked = () => bob.post('/api/v1/do', { target: '/', operation: 'create-space' }, keyed('c'))
    const [first, again] = [await asked(), await asked()]
    expect(first.json).toMatchObject({ code: 'FORBIDDEN' })
    expect(again.json).toEqual(first.json)
  })
})

it('an inbox is counted by what its entries ask, and threads are listed by who takes part', async () => {
  const operator = await program('operator')
  const before = (await operator.get('/api/v1/inbox/counts')).json
  const asAda = { ...at.world, person: 'ada' }
  const asked = { target: 'operator', as: 'ada', waitSeconds: null }
  const { correlation } = await summon(asAda, { ...asked, content: 'May I?' })
  await summon(asAda, { ...asked, content: 'For all.', expectReply: false })
  const { json: after } = await operator.get('/api/v1/inbox/counts')
  expect(after.open).toEqual({
    ...before.open,
    question: before.open.question + 1,
    news: before.open.news + 1,
  })
  expect(Date.parse(after.newest)).toBeGreaterThan(Date.parse(before.newest ?? 0))
  const { json } = await operator.get('/api/v1/threads?with=ada')
  expect(json.items.map(({ thread }: { thread: string }) => thread)).toContain(correlation)
  for (const { participants } of json.items)
    expect(participants).toEqual(expect.arrayContaining(['@operator', '@ada']))
  expect((await operator.get('/api/v1/threads?with=bob')).json.items).toEqual([])
  // However many threads of three are newer, those of the two alone are found.
  await sql`
    insert into treeos.inbox (id, being, kind, priority, caller, caller_role, caller_cognition, content, root, in_reply_to)
    select 'of-three/' || i || '/' || part, said.being, 'summon', one.priority, said.caller, 'citizen', said.cognition, one.content,
      'of-three/' || i, said.reply
    from (select * from treeos.inbox where id = ${correlation}) one, generate_series(1, 60) i, lateral (values
      (1, 'operator', case when i % 3 = 0 then 'echo' else 'ada' end, case when i % 3 = 0 then 'scripted' else 'human' end, null),
      (2, 'ada', 'operator', 'human', null),
      (3, case when i % 3 = 1 then 'bob' else 'operator' end, case when i % 3 = 2 then 'bob' else 'ada' end, 'human', null)
    ) said(part, being, caller, cognition, reply)`.execute(at.world.owner)
  const newest = (await operator.get('/api/v1/threads?with=ada&limit=50')).json.items
  expect(newest.map(({ participants }: { participants: string[] }) => participants.length)).not.toContain(2)
  const alone = (await operator.get('/api/v1/threads?with=ada&alone=true&limit=10')).json.items
  expect(alone.map(({ thread }: { thread: string }) => thread)).toContain(correlation)
  for (const { participants } of alone) expect(participants).toEqual(['@ada', '@operator'])
})

it('a space counts those in the spaces inside, too', async () => {
  const { json } = await (await program('operator')).get('/api/v1/world')
  interface Node {
    path: string
    beings: number
    within: { beings: number }
    children: string[]
  }
  const nodes: Map<string, Node> = new Map(json.spaces.map((one: Node) => [one.path, one]))
  for (const { beings, within, children } of nodes.values())
    expect(within.beings).toBe(
      children.reduce((sum, child) => sum + (nodes.get(child)?.within.beings ?? 0), beings),
    )
  const root = nodes.get('/')
  expect(root?.within.beings).toBeGreaterThan(root?.beings ?? Number.NaN)
})

it('lists are read page by page, each entry once', async () => {
  const asAda = { ...at.world, person: 'ada' }
  for (const content of ['1', '2', '3', '4', '5'])
    await summon(asAda, { target: 'operator', content, as: 'ada', waitSeconds: null })
  const operator = await program('operator')
  const pages = async (who: Program, path: string): Promise<JsonObject[]> => {
    const items: JsonObject[] = []
    for (let cursor = '', first = true; first || cursor !== ''; first = false) {
      const { json } = await who.get(`${path}?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`)
      expect(json.items.length).toBeLessThanOrEqual(2)
      items.push(...json.items)
      cursor = json.next ?? ''
    }
    return items
  }
  expect((await pages(operator, '/api/v1/inbox')).map(({ content }) => content)).toEqual(
    expect.arrayContaining(['1', '2', '3', '4', '5']),
  )
  const numbers = (await pages(ada, '/api/v1/beings/ada/moments')).map(({ n }) => Number(n))
  expect(numbers).toEqual(numbers.map((_, i) => numbers.length - i))
  const ids = (await pages(ada, '/api/v1/threads')).map(({ thread }) => thread)
  expect(ids.length).toBeGreaterThanOrEqual(5)
  expect(new Set(ids).size).toBe(ids.length)
})
