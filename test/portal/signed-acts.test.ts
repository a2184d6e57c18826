/** Who signs by a passkey is asked for the signature of each act. Nobody else is asked for anything. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Authenticator, type Bend } from '../support/authenticator.ts'
import { doAs, rowOf } from '../support/life.ts'
import { PortalWorld, type Seat } from '../support/portal.ts'

let at: PortalWorld
let ada: Seat
let bob: Seat
let key: Authenticator
let id: string
beforeAll(async () => {
  at = await PortalWorld.start()
  ;[ada, bob] = [await at.enter('ada'), await at.enter('bob')]
  key = new Authenticator(at.origin)
  const { attempt, options } = (await at.post(ada, '/api/account/passkeys', { name: 'a key' })).json
  await at.post(ada, '/api/account/passkeys/made', { attempt, response: key.make(options) })
  const [own] = (await at.ask(ada, '/api/account')).json.passkeys
  id = own.id
})
afterAll(() => at?.close())
beforeEach(() => at.serveAnew())

const set = (value: string, stance = '@ada') => ({
  operation: 'set-being',
  target: stance,
  args: { field: 'mood.tone', value },
})
const header = (detail: { salt: string; at: number; options: unknown }, one = key, bend: Bend = {}) => {
  const response = one.use(detail.options as Parameters<Authenticator['use']>[0], bend)
  return Buffer.from(JSON.stringify({ salt: detail.salt, at: detail.at, response })).toString('base64url')
}
const send = (body: unknown, signed: string | null, path = '/api/v1/do') =>
  at.post(ada, path, body, signed === null ? {} : { headers: { 'x-treeos-signed': signed } })
/** Asks what is to be signed. */
const asked = async (body: unknown, path = '/api/v1/do') => (await send(body, null, path)).json.context
const signatures = async () => {
  const { rows } = await sql<{ signed: boolean }>`
    select content like '%"signed":%' as signed from treeos.inbox where being = 'ada' and kind = 'act'`.execute(
    at.world.db,
  )
  return rows.filter(({ signed }) => signed).length
}
/** Signs what the answer asks for, and sends it again. */
async function signedBy(seat: Seat, path: string, body: unknown) {
  const { json } = await at.post(seat, path, body)
  expect(json.context).toMatchObject({ reason: 'sign' })
  return at.post(seat, path, body, { headers: { 'x-treeos-signed': header(json.context) } })
}
const acts = async () =>
  (
    await at.world.db
      .selectFrom('inbox')
      .select('id')
      .where('being', '=', 'ada')
      .where('kind', '=', 'act')
      .execute()
  )
    .map(({ id }) => id)
    .sort()
const REFUSED = { status: 403, json: { code: 'FORBIDDEN' } }

describe('acts in the portal', () => {
  it('need no signature before their person asks for it, and one afterwards', async () => {
    expect(await send(set('before'), null)).toMatchObject({ status: 200 })
    expect(await at.post(ada, '/api/account/passkeys/signing', { id, signs: true })).toMatchObject({
      status: 200,
    })
    expect((await at.ask(ada, '/api/account')).json.passkeys).toMatchObject([{ id, signs: true }])
    const { status, json } = await send(set('calm'), null)
    expect({ status, reason: json.context.reason }).toEqual({ status: 403, reason: 'sign' })
    expect(await send(set('calm'), header(json.context))).toMatchObject({ status: 200 })
    expect(await signatures()).toBe(1)
    // The control: another person is asked for nothing; its role allows it no such act.
    expect((await at.post(bob, '/api/v1/do', set('calm', '@bob'))).json.detail).toMatch(/not in canDo/)
    expect((await at.ask(ada, '/api/v1/world')).status).toBe(200) // neither is a look
  })

  it('are signed one by one: a signature is of one call, and makes one act', async () => {
    const detail = await asked(set('once'))
    const signed = header(detail)
    expect(await send(set('twice'), signed)).toMatchObject(REFUSED)
    const before = await signatures()
    for (let i = 0; i < 2; i++)
      expect(await send(set('once'), signed)).toMatchObject(i === 0 ? { status: 200 } : {})
    expect(await signatures()).toBe(before + 1)
  })

  it.each<[string, (detail: { salt: string; at: number; options: unknown }) => string]>([
    ['of another site', (detail) => header(detail, key, { site: 'evil.example' })],
    ['of another page', (detail) => header(detail, key, { origin: 'http://evil.example' })],
    ['of another key', (detail) => header(detail, key, { signer: new Authenticator(at.origin) })],
    ['of a key that is not known', (detail) => header(detail, new Authenticator(at.origin))],
    ['without a check of its person', (detail) => header(detail, key, { isVerified: false })],
    ['of a sign-in', (detail) => header(detail, key, { challenge: 'AAAA' })],
    ['with another salt', (detail) => header({ ...detail, salt: 'ab'.repeat(32) })],
    ['for another time', (detail) => header({ ...detail, at: detail.at - 1 })],
  ])('are refused with a signature %s', async (_, bent) => {
    expect(await send(set('bent'), bent(await asked(set('bent'))))).toMatchObject(REFUSED)
  })

  it('that begin and end the driving of a child are signed, and those in between; where nobody is there the lease runs out', async () => {
    const drive = (seat: Seat) => signedBy(seat, '/api/inhabit', { being: '@kid' })
    const inhabitation = await drive(ada)
    expect(inhabitation).toMatchObject({ status: 200 })
    const tab: Seat = { ...ada, tab: inhabitation.json.handle }
    const move = { operation: 'move', target: '/library', args: {} }
    expect(await signedBy(tab, '/api/v1/do', move)).toMatchObject({ status: 200 })
    expect(await signedBy(tab, '/api/inhabit/release', {})).toMatchObject({ status: 200 })
    expect((await rowOf(at.world, 'kid')).inhabited?.by ?? null).toBeNull()

    const other = await at.sit('ada')
    expect(await drive(other)).toMatchObject({ status: 200 })
    const before = await acts()
    expect((await at.post(other, '/api/sign-out', {})).status).toBe(200)
    await sleep(500) // in which a release would be put into the inbox
    expect(await acts()).toEqual(before)
    expect(at.errors.filter(({ where }) => where === 'release')).toEqual([])
  })

  it('need none after the passkey was taken away in the record, as when it is lost', async () => {
    const [taken] = Object.keys((await rowOf(at.world, 'ada')).qualities.passkeys as object)
    await doAs(at.world, 'set-being', '@ada', { field: `passkeys.${taken}`, value: null })
    expect(await send(set('lost'), null)).toMatchObject({ status: 200 })
    expect(await at.post(ada, '/api/account/passkeys/signing', { id, signs: true })).toMatchObject({
      status: 200,
    })
    expect(await asked(set('back'))).toMatchObject({ reason: 'sign' })
  })

  it('are asked about again when the signature is old, and refused when it is none', async () => {
    const detail = await asked(set('late'))
    const old = { ...detail, at: detail.at - 6 * 60_000 }
    expect((await send(set('late'), header(old))).json.context.reason).toBe('sign')
    expect(await send(set('late'), 'AAAA')).toMatchObject({ status: 400 })
  })

  it('of every kind are asked about: an answer, an invitation, the passkey itself', async () => {
    const invite = { name: 'gus', hours: 1 }
    expect(await asked(invite, '/api/people/invite')).toMatchObject({ reason: 'sign' })
    const [said, path] = [{ target: '@bob', content: 'hello' }, '/api/v1/summon']
    expect(await send(said, header(await asked(said, path)), path)).toMatchObject({ status: 200 })
    expect(await at.post(ada, '/api/account/passkeys/remove', { id })).toMatchObject({ status: 409 })
    const stop = { id, signs: false }
    expect(await asked(stop, '/api/account/passkeys/signing')).toMatchObject({ reason: 'sign' })
    const signed = header(await asked(stop, '/api/account/passkeys/signing'))
    expect(await send(stop, signed, '/api/account/passkeys/signing')).toMatchObject({ status: 200 })
    expect(await send(set('after'), null)).toMatchObject({ status: 200 })
  })
})
