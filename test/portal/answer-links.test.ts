/** A link answers one call of one person, once, and only when somebody answers by it. */
import { act, approvals } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import { makeAnswerLink } from '@treeos/portal'
import { readRows } from '@treeos/store'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { Authenticator } from '../support/authenticator.ts'
import { createSpace, doAs, momentOf, play } from '../support/life.ts'
import { PortalWorld, send } from '../support/portal.ts'
import till from '../support/till.ts'

let at: PortalWorld
beforeAll(async () => {
  at = await PortalWorld.start({ extensions: [till] })
  await at.world.birthPuppet('clerk')
  await createSpace(at.world, '/shop')
  const ask = { who: ['@ada', '@cleo'], within: 600 }
  await doAs(at.world, 'set-space', '/shop', {
    field: 'permissions.do',
    value: { 'till:pay': { requires: ['anyone'], ask } },
  })
})
afterAll(() => at?.close())
beforeEach(() => at.serveAnew())

const as = (person: string) => ({ ...at.world, person })
const stateOf = async (id: string) =>
  ((await readRows(at.world.db, at.world.reality.id, [`approval:${id}`]))[0]!.state as JsonObject).state
/** A new call that waits, with a link for a person. */
async function asked(person = 'ada') {
  const { n } = await play(at.world, 'clerk', {
    verb: 'do',
    operation: 'till:pay',
    target: '/shop',
    args: { euros: 40 },
  })
  const id = `clerk/1/${n}`
  const waiting = (await approvals(as(person), person)).find((one) => one.id === id)!
  return { id, token: await makeAnswerLink(at.store, person, waiting) }
}
const look = (token: string) => at.post(null, '/api/open/answer/look', { token })
const answer = (token: string, more: JsonObject = { answer: 'approve' }, headers = {}) =>
  at.post(null, '/api/open/answer', { token, ...more }, { headers })
const OVER = { status: 401, json: { code: 'UNAUTHORIZED' } }

it('shows the call, and does it once its person says yes by the link', async () => {
  const { id, token } = await asked()
  const shown = { id, from: '@clerk', call: { operation: 'till:pay', args: { euros: 40 } }, on: '/shop' }
  expect((await look(token)).json).toMatchObject({ stance: '@ada', asked: shown })
  expect(await answer(token)).toMatchObject({ status: 200, json: { stance: '@ada', answer: 'approve' } })
  expect(await momentOf(at.world, `approved/${id}`)).toMatchObject({ outcome: 'act' })
  for (const again of ['approve', 'deny']) expect(await answer(token, { answer: again })).toMatchObject(OVER)
  expect(await look(token)).toMatchObject(OVER)
})

it('says no with a reason', async () => {
  const { id, token } = await asked()
  expect(await answer(token, { answer: 'deny', why: 'too much' })).toMatchObject({ status: 200 })
  expect(await stateOf(id)).toBe('denied')
})

it('is one act when it is sent twice at once', async () => {
  const { id, token } = await asked()
  const both = await Promise.all([answer(token), answer(token)])
  expect(both.some(({ status }) => status === 200)).toBe(true)
  const { rows } =
    await sql`select from treeos.fact where reel = ${`approval:${id}`} and kind = 'approval:given'`.execute(
      at.world.db,
    )
  expect(rows).toHaveLength(1)
})

it('answers nothing for what only follows links: a scanner of mail, a form of another site, a robot without our page', async () => {
  const { id, token } = await asked()
  for (const method of ['GET', 'HEAD'])
    for (const path of [
      '/answer',
      `/answer?token=${token}`,
      `/api/open/answer?token=${token}&answer=approve`,
    ])
      await send(at.origin, path, { method })
  const body = JSON.stringify({ token, answer: 'approve' })
  const json = { 'content-type': 'application/json' }
  for (const headers of [
    json,
    { ...json, origin: 'https://evil.example' },
    { ...json, origin: at.origin, 'sec-fetch-site': 'cross-site' },
    { origin: at.origin, 'content-type': 'application/x-www-form-urlencoded' },
  ])
    expect((await send(at.origin, '/api/open/answer', { method: 'POST', headers, body })).status).toBe(403)
  expect(await stateOf(id)).toBe('open')
  expect(await answer(token)).toMatchObject({ status: 200 }) // control: the link is good
})

it.each<[string, (id: string, token: string) => Promise<unknown>]>([
  [
    'another person said no',
    (id) => act(as('cleo'), 'cleo', { verb: 'do', operation: 'deny', target: '@cleo', args: { id } }),
  ],
  [
    'its time is over',
    (_, token) =>
      sql`update portal.answer_link set expires_at = clock_timestamp()
      where token_hash = sha256(${token}::bytea)`.execute(at.world.owner),
  ],
  [
    'it is of another call',
    (_, token) =>
      sql`update portal.answer_link set call = 'c'
      where token_hash = sha256(${token}::bytea)`.execute(at.world.owner),
  ],
])('is over once %s', async (_what, change) => {
  const { id, token } = await asked()
  await change(id, token)
  expect(await look(token)).toMatchObject(OVER)
  expect(await answer(token)).toMatchObject(OVER)
})

it('opens nothing else, and no other secret opens it', async () => {
  const { token } = await asked()
  expect(await at.post(null, '/api/open/link/look', { token })).toMatchObject(OVER)
  expect(await look(await at.linkFor('ada'))).toMatchObject(OVER)
  expect(await look('A'.repeat(43))).toMatchObject(OVER)
})

it('takes the passkey of a person that signs by one, and is not spent before', async () => {
  const seat = await at.enter('cleo')
  const key = new Authenticator(at.origin)
  const { attempt, options } = (await at.post(seat, '/api/account/passkeys', { name: 'a key' })).json
  await at.post(seat, '/api/account/passkeys/made', { attempt, response: key.make(options) })
  const [{ id: passkey }] = (await at.ask(seat, '/api/account')).json.passkeys
  await at.post(seat, '/api/account/passkeys/signing', { id: passkey, signs: true })
  const { id, token } = await asked('cleo')
  const { status, json } = await answer(token)
  expect({ status, reason: json.context?.reason }).toEqual({ status: 403, reason: 'sign' })
  expect(await stateOf(id)).toBe('open')
  const { salt, at: when, options: toSign } = json.context
  const headerOf = (response: unknown) => ({
    'x-treeos-signed': Buffer.from(JSON.stringify({ salt, at: when, response })).toString('base64url'),
  })
  const stranger = headerOf(new Authenticator(at.origin).use(toSign))
  expect((await answer(token, { answer: 'approve' }, stranger)).status).toBe(403)
  // of another answer
  expect((await answer(token, { answer: 'deny' }, headerOf(key.use(toSign)))).status).toBe(403)
  expect(await answer(token, { answer: 'approve' }, headerOf(key.use(toSign)))).toMatchObject({ status: 200 })
  expect(await momentOf(at.world, `approved/${id}`)).toMatchObject({ outcome: 'act' })
})
