/**
 * What waits in an inbox is told outside, by signed webhooks and by e-mail; and signed webhooks of others
 * become acts.
 */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { summon } from '@treeos/client'
import type { BeingName, JsonObject } from '@treeos/core'
import { type CourierOptions, removeAccount } from '@treeos/portal'
import { readRows } from '@treeos/store'
import { sql } from 'kysely'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createSpace, doAs, play, setRole, until, wakesOf } from '../support/life.ts'
import { PortalWorld, type Seat, send } from '../support/portal.ts'

interface Got {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly json: JsonObject & { data: JsonObject }
}

let at: PortalWorld
let ada: Seat
let receiver: Server
let smtp: SMTPServer
let got: Got[] = []
let letters: string[] = []
/** what the receiver answers, and whether the mail server takes letters */
let answer: () => Promise<number> | number = () => 204
let takesMail = true

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port
const hookUrl = () => `http://127.0.0.1:${portOf(receiver)}/in`
const asAda = () => ({ ...at.world, person: 'ada' })

beforeAll(async () => {
  at = await PortalWorld.start()
  receiver = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part))
    request.on('end', async () => {
      got.push({ headers: request.headers, body, json: JSON.parse(body) as Got['json'] })
      response.writeHead(await answer()).end()
    })
  })
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      let text = ''
      stream.on('data', (part: Buffer) => (text += part))
      stream.on('end', () => {
        if (takesMail) letters.push(text)
        done(takesMail ? null : Object.assign(new Error('try later'), { responseCode: 451 }))
      })
    },
  })
  await new Promise<void>((done) => smtp.listen(0, '127.0.0.1', done))
  await serve()
  ada = await at.enter('ada')
})
afterAll(async () => {
  await at?.close()
  receiver?.closeAllConnections()
  receiver?.close()
  await new Promise<void>((done) => smtp?.close(done))
})
beforeEach(async () => {
  await sql`delete from portal.outlet`.execute(at.world.owner)
  got = []
  letters = []
  answer = () => 204
  takesMail = true
})

const serve = (options: CourierOptions = {}, actsPerMinute = 1000) =>
  at.serveAnew({
    actsPerMinute,
    outlets: {
      privateHosts: ['127.0.0.1'],
      mail: { url: `smtp://127.0.0.1:${portOf(smtp.server)}`, from: 'treeos@example.org' },
      everyMs: 100,
      graceSeconds: 0,
      holdSeconds: 1,
      againInSeconds: [0.2, 0.2],
      ...options,
    },
  })

async function addOutlet(json: JsonObject): Promise<JsonObject> {
  const made = await at.post(ada, '/api/v1/outlets', json)
  expect(made).toMatchObject({ status: 200 })
  return made.json
}
const ask = (content: string, to: BeingName = 'ada') =>
  summon(at.world, { target: to, content, as: 'operator', waitSeconds: null })
const outlets = async () => (await at.ask(ada, '/api/v1/outlets')).json

/** As Standard Webhooks says a receiver does. */
function expectSigned({ headers, body }: Got, secret: unknown): void {
  const key = Buffer.from(String(secret).replace('whsec_', ''), 'base64')
  const said = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const mac = createHmac('sha256', key).update(said).digest('base64')
  expect(headers['webhook-signature']).toBe(`v1,${mac}`)
  expect(Math.abs(Date.now() / 1000 - Number(headers['webhook-timestamp']))).toBeLessThan(30)
}

describe('a webhook', () => {
  it('is told each open entry once, signed: questions, answers, notices and approvals', async () => {
    await ask('before')
    const { secret } = await addOutlet({ kind: 'webhook', address: hookUrl() })
    await ask('Are you there?')
    await summon(asAda(), { target: 'kid', content: 'echo this', as: 'ada', waitSeconds: null })
    await createSpace(at.world, '/till')
    const rule = { 'create-space': { requires: ['anyone'], ask: { who: ['@ada'], within: 600 } } }
    await doAs(at.world, 'set-space', '/till', { field: 'permissions.do', value: rule })
    await at.world.birthPuppet('clerk')
    await play(at.world, 'clerk', {
      verb: 'do',
      operation: 'create-space',
      target: '/till',
      args: { path: '/till/a' },
    })
    await until(() => got.length === 3)
    const told = Object.fromEntries(got.map(({ json }) => [json.type, json.data]))
    expect(told).toMatchObject({
      'inbox.question': { being: '@ada', from: '@operator', content: 'Are you there?' },
      'inbox.answer': { from: '@kid', content: 'echo this' },
      'inbox.approval': { content: { actor: '@clerk', event: expect.any(String) } },
    })
    for (const one of got) expectSigned(one, secret)
    await new Promise((done) => setTimeout(done, 500))
    expect(got).toHaveLength(3)
    expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(3)
    expect(await outlets()).toMatchObject([{ deliveries: { due: 0, sent: 3, dead: 0, fault: null } }])
  })

  it('that does not take it is told again with the same id, and given up after the last try; a person tries again', async () => {
    const { id } = await addOutlet({ kind: 'webhook', address: hookUrl(), wants: ['question'] })
    const statuses = [500, 302]
    answer = () => statuses.shift() ?? 200
    await ask('once more')
    await until(() => got.length === 3)
    expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    answer = () => 410
    await ask('never')
    const dead = await until(async () =>
      (await outlets()).find((one: { deliveries: JsonObject }) => one.deliveries.dead === 1),
    )
    expect(dead.deliveries.fault).toBe('it answered 410')
    const { rows } = await sql`select * from portal.delivery_state()`.execute(at.world.db)
    expect(rows).toEqual([{ late: expect.anything(), dead: expect.anything() }])
    answer = () => 200
    expect((await at.post(ada, '/api/v1/outlets/retry', { id })).json).toEqual({ retried: 1 })
    await until(
      async () => (await outlets())[0].deliveries.dead === 0 && (await outlets())[0].deliveries.due === 0,
    )
    expect(got.at(-1)?.json.data.content).toBe('never')
  })

  it('loses nothing when the portal is killed: what was under way is told again with its id, what came meanwhile is told', async () => {
    await addOutlet({ kind: 'webhook', address: hookUrl(), wants: ['question'] })
    const gate = Promise.withResolvers<number>()
    answer = () => gate.promise
    await ask('under way')
    await until(() => got.length === 1)
    await at.served.close() // before it was answered, so nothing was noted
    await ask('meanwhile')
    gate.resolve(200)
    answer = () => 200
    await serve()
    await until(() => got.length >= 3)
    const contents = got.map(({ json, headers }) => `${json.data.content} ${headers['webhook-id']}`)
    expect(contents[1] === contents[0] || contents[2] === contents[0]).toBe(true)
    expect(got.map(({ json }) => json.data.content).sort()).toEqual(['meanwhile', 'under way', 'under way'])
  })

  it('is told nothing that was closed before, and nothing after its person lost the account', async () => {
    await serve({ everyMs: 100_000 })
    await addOutlet({ kind: 'webhook', address: hookUrl() })
    const { correlation } = await ask('closed soon')
    await until(async () => (await wakesOf(at.world, 'ada')).some(({ id }) => id === correlation))
    await at.post(ada, '/api/v1/inbox/close', { how: 'dismissed', entries: [correlation] })
    await serve()
    await ask('open')
    await until(() => got.length === 1)
    expect(got[0]?.json.data.content).toBe('open')
    await at.enter('cleo')
    const cleo = await at.enter('cleo')
    expect((await at.post(cleo, '/api/v1/outlets', { kind: 'webhook', address: hookUrl() })).status).toBe(200)
    expect((await at.post(cleo, '/api/v1/hooks', { name: 'x', does: { summon: '@kid' } })).status).toBe(200)
    await removeAccount(at.store, 'cleo')
    const left = await sql`select being from portal.outlet where being = 'cleo' union all
      select being from portal.hook where being = 'cleo'`.execute(at.world.owner)
    expect(left.rows).toEqual([])
  })

  it('for approvals is told of a parked budget, too, and one for questions of no announcement', async () => {
    await addOutlet({ kind: 'webhook', address: hookUrl(), wants: ['question', 'approval'] })
    await sql`insert into treeos.parking (being, of, revision)
      values ('spent', 'spent', -(treeos.standard('llm')->>'revision')::integer)`.execute(at.world.owner)
    for (const [id, kind, notice] of [
      ['told', 'summon', null],
      ['parked/spent/1/1', 'event', 'spent'],
      ['parked/other/1/1', 'event', 'other'],
    ])
      await sql`insert into treeos.inbox (id, being, kind, priority, content, root, notice, expect_reply)
        values (${id}, 'ada', ${kind}, 3, '{}', ${id}, ${notice}, false)`.execute(at.world.owner)
    await ask('and now?')
    await until(() => got.length >= 2)
    expect(got.map(({ json }) => json.type).toSorted()).toEqual(['inbox.budget', 'inbox.question'])
    await sql`delete from treeos.parking where being = 'spent'`.execute(at.world.owner)
  })

  it('does not wait behind slow receivers of others', async () => {
    await at.enter('cleo')
    const cleo = await at.enter('cleo')
    const slow = Promise.withResolvers<number>()
    await at.post(cleo, '/api/v1/outlets', { kind: 'webhook', address: hookUrl(), wants: ['question'] })
    answer = () => slow.promise
    for (let i = 0; i < 6; i++) await ask(`slow ${i}`, 'cleo')
    await until(() => got.length > 0)
    answer = () => 200
    await addOutlet({ kind: 'webhook', address: hookUrl(), wants: ['question'] })
    await ask('quick')
    await until(() => got.some(({ json }) => json.data.content === 'quick'))
    expect(got.length).toBeLessThan(7)
    slow.resolve(200)
    await until(() => got.length === 7)
  })

  it('reaches no private address unless the operator says so, and no other protocol', async () => {
    await serve({ privateHosts: [], againInSeconds: [] })
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '169.254.169.254', '2130706433'])
      await addOutlet({
        kind: 'webhook',
        address: `http://${host}:${portOf(receiver)}/`,
        wants: ['question'],
      })
    for (const address of [
      'ftp://example.org/',
      'file:///etc/passwd',
      'nonsense',
      'https://u:p@example.org/',
    ])
      expect(await at.post(ada, '/api/v1/outlets', { kind: 'webhook', address })).toMatchObject({
        status: 400,
      })
    await ask('secret')
    const told = await until(async () => {
      const all = await outlets()
      return all.every((one: { deliveries: JsonObject }) => one.deliveries.dead === 1) && all
    })
    for (const { deliveries } of told) expect(deliveries.fault).toContain('TREEOS_WEBHOOK_PRIVATE')
    expect(got).toEqual([])
    await serve()
  })
})

describe('an address of e-mail', () => {
  const headerIn = (letter: string, name: string) =>
    new RegExp(`^${name}: (.*)$`, 'im').exec(letter.split('\r\n\r\n')[0] ?? '')?.[1]

  it('is told nothing before it gave the code that it was sent, and then as a webhook is', async () => {
    const { id, confirmed } = await addOutlet({ kind: 'email', address: 'ann@example.org' })
    expect(confirmed).toBe(false)
    await ask('too early')
    await until(() => letters.length === 1)
    expect(letters[0]).not.toContain('too early')
    const [, code] = /the code is: (\w+)/.exec(letters[0] ?? '') ?? []
    const confirm = (given: unknown) => at.post(ada, '/api/v1/outlets/confirm', { id, code: given })
    expect((await confirm('0000000000')).json).toMatchObject({ code: 'INVALID_INPUT' })
    expect((await confirm(code)).status).toBe(200)
    takesMail = false
    await ask('A question\r\nBcc: eve@example.org')
    await until(async () => (await outlets())[0].deliveries.fault !== null)
    takesMail = true
    await until(() => letters.length === 3)
    const [letter] = letters.filter((text) => text.includes('A question'))
    expect(headerIn(letter ?? '', 'To')).toContain('ann@example.org')
    expect(headerIn(letter ?? '', 'Subject')).toContain('@operator asks you')
    expect(headerIn(letter ?? '', 'Bcc')).toBeUndefined()
    expect(headerIn(letter ?? '', 'Message-ID')).toContain(headerIn(letter ?? '', 'X-TreeOS-Delivery'))
  })

  it.each([
    'ann',
    'ann@',
    'a@b@c',
    'ann@example.org, eve@example.org',
    'Ann <ann@example.org>',
    'a\r\nb@c.org',
  ])('%j is none', async (address) => {
    expect((await at.post(ada, '/api/v1/outlets', { kind: 'email', address })).status).toBe(400)
  })
})

describe('a webhook that comes', () => {
  interface Made {
    readonly path: string
    readonly secret: string
  }
  const hook = async (does: JsonObject): Promise<Made> =>
    (await at.post(ada, '/api/v1/hooks', { name: 'build', does })).json
  let count = 0
  function signed(
    { path, secret }: Made,
    body: string,
    more: { id?: string; at?: number; key?: string } = {},
  ) {
    const id = more.id ?? `m${count++}`
    const timestamp = String(Math.floor((more.at ?? Date.now()) / 1000))
    const key = Buffer.from((more.key ?? secret).replace('whsec_', ''), 'base64')
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${mac}`,
    }
    return send(at.origin, path, { method: 'POST', headers, body })
  }

  it('is a summon of its person that says it comes from outside, once however often it is sent', async () => {
    const made = await hook({ summon: '@kid' })
    const said = '{"status":"failed"}'
    const first = await signed(made, said, { id: 'one' })
    expect(first).toMatchObject({ status: 200, json: { correlation: expect.any(String) } })
    expect((await signed(made, said, { id: 'one' })).json).toEqual(first.json)
    const wakes = (await wakesOf(at.world, 'kid')).filter(({ caller }) => caller?.name === 'ada')
    expect(wakes.filter(({ content }) => JSON.stringify(content).includes('failed'))).toMatchObject([
      { outside: true, content: { outside: { hook: 'build', id: 'one' }, content: { status: 'failed' } } },
    ])
    expect((await signed(made, '{"status":"ok"}', { id: 'one' })).json).toMatchObject({
      code: 'RESOURCE_CONFLICT',
    })
    expect((await at.ask(ada, '/api/v1/hooks')).json).toMatchObject([
      { name: 'build', usedAt: expect.any(String) },
    ])
  })

  it('that is sent again does not use up the acts of its person', async () => {
    await serve({}, 3)
    const made = await hook({ summon: '@kid' }) // one act
    // one act
    for (let i = 0; i < 6; i++) expect((await signed(made, '{}', { id: 'again' })).status).toBe(200)
    const own = { target: '@kid', content: 'mine' }
    expect((await at.post(ada, '/api/v1/summon', own)).status).toBe(200)
    expect((await signed(made, '{}')).status).toBe(429)
    await serve()
  })

  it('is a signal, where its person made it one', async () => {
    const made = await hook({ signal: 'ci.build' })
    expect((await signed(made, '{"status":"green"}')).json).toEqual({ act: expect.any(String) })
    expect((await at.ask(ada, '/api/v1/signals')).json.values).toMatchObject({
      ci: { build: { outside: { hook: 'build' }, content: { status: 'green' } } },
    })
    const [row] = await readRows(at.world.db, at.world.reality.id, ['world:ci'])
    expect(row?.state).toMatchObject({ outside: [['build']] })
  })

  it('is refused unsigned, signed by another secret, out of time, and after its hook is gone', async () => {
    const made = await hook({ summon: '@kid' })
    const other = await hook({ summon: '@operator' })
    const before = (await wakesOf(at.world, 'kid')).length
    const minutes = 60_000
    const tries = [
      await send(at.origin, made.path, { method: 'POST', body: '{}' }),
      await signed(made, '{}', { key: other.secret }),
      await signed(made, '{}', { at: Date.now() - 6 * minutes }),
      await signed(made, '{}', { at: Date.now() + 6 * minutes }),
      await signed({ ...made, path: '/api/open/hooks/00000000-0000-4000-8000-000000000000' }, '{}'),
      await signed({ ...made, path: '/api/open/hooks/x' }, '{}'),
    ]
    for (const { status, json } of tries)
      expect({ status, code: json.code }).toEqual({ status: 401, code: 'UNAUTHORIZED' })
    const id = made.path.split('/').at(-1)
    expect((await at.post(await at.enter('bob'), '/api/v1/hooks/remove', { id })).status).toBe(400)
    expect((await at.post(ada, '/api/v1/hooks/remove', { id })).status).toBe(200)
    expect((await signed(made, '{}')).status).toBe(401)
    expect(await wakesOf(at.world, 'kid')).toHaveLength(before)
  })

  it('does what its person may do, and no more; too much and what is no JSON is refused', async () => {
    await setRole(at.world, { name: 'mute', prompt: '' })
    const bob = await at.enter('bob')
    const made = (await at.post(bob, '/api/v1/hooks', { name: 'x', does: { summon: '@kid' } })).json
    expect((await signed(made, '{}')).json).toMatchObject({ code: 'FORBIDDEN' })
    const own = await hook({ summon: '@kid' })
    expect((await signed(own, '{')).json).toMatchObject({ code: 'INVALID_INPUT' })
    expect((await signed(own, JSON.stringify('x'.repeat(70_000)))).status).toBe(413)
    expect((await at.post(ada, '/api/v1/hooks', { name: 'x', does: { signal: 'no' } })).status).toBe(400)
    expect(at.errors).toEqual([])
  })
})
