import { act, inhabit, moments, summon } from '@treeos/client'
import { findLease } from '@treeos/store'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { groundOf, rowOf, until } from '../support/life.ts'
import { type Answered, PortalWorld, type Seat } from '../support/portal.ts'

let at: PortalWorld
let operator: Seat
let ada: Seat
let bob: Seat
beforeAll(async () => {
  at = await PortalWorld.start()
  ;[operator, ada, bob] = [await at.enter('operator'), await at.enter('ada'), await at.enter('bob')]
  for (const name of ['imp', 'elf']) {
    const args = { name, cognition: 'scripted', script: 'echo', role: 'stage:free' }
    await at.post(ada, '/api/v1/be', { operation: 'birth', args })
  }
})
afterAll(() => at?.close())

/** The same session, in a tab that drives a being. */
const inTab = (seat: Seat, tab: string): Seat => ({ ...seat, tab })
async function drive(seat: Seat, being: string): Promise<Seat> {
  const { status, json, text } = await at.post(seat, '/api/inhabit', { being })
  if (status !== 200) throw new Error(`${status} ${text}`)
  return inTab(seat, json.handle)
}
const isFree = (being: string, seconds = 15) =>
  until(async () => (await rowOf(at.world, being)).inhabited?.by == null, { seconds, what: `${being} freed` })
const release = (tab: Seat) => at.post(tab, '/api/inhabit/release', {})
const moveTo = (target: string) => ({ operation: 'move', target, args: {} })
const LEASE_OVER = { status: 403, json: { code: 'FORBIDDEN', context: { reason: 'lease-over' } } }

it('in that tab the person acts as the child, and the record names the driver; its other tabs act as itself', async () => {
  const tab = await drive(ada, '@kid')
  expect((await at.ask(tab, '/api/session')).json).toMatchObject({
    stance: '@kid',
    person: '@ada',
    driver: '@ada',
  })
  expect((await at.ask(ada, '/api/session')).json).toMatchObject({ stance: '@ada', driver: null })
  expect((await at.post(tab, '/api/v1/do', moveTo('/library'))).status).toBe(200)
  expect(await rowOf(at.world, 'kid')).toMatchObject({ space: '/library' })
  expect(await rowOf(at.world, 'ada')).toMatchObject({ space: '/' })
  expect((await moments(at.world.db, 'kid')).at(-1)).toMatchObject({ driver: '@ada', outcome: 'act' })
  await release(tab)
})

it('its own mind rests; what waited is lived after the release', async () => {
  const tab = await drive(ada, '@kid')
  const asAda = { ...at.world, person: 'ada' }
  const said = { target: 'kid', content: 'are you there?', as: 'ada', waitSeconds: null }
  const { correlation } = await summon(asAda, said)
  await until(async () => (await at.ask(tab, '/api/v1/inbox')).text.includes(correlation))
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect((await at.ask(tab, '/api/v1/inbox')).text).toContain('are you there?')
  expect(await release(tab)).toMatchObject({ status: 200 })
  await isFree('kid')
  await until(async () => (await at.ask(ada, '/api/v1/inbox')).text.includes('are you there?'), {
    what: 'the answer of its own mind',
  })
  expect(await at.ask(tab, '/api/session')).toMatchObject(LEASE_OVER)
})

describe('whom a person may inhabit', () => {
  it.each(['@ada', '@operator', '@bob', '@echo', '@nobody', 'kid', ''])('not %s', async (being) => {
    const before = await groundOf(at.world)
    const { status, json } = await at.post(ada, '/api/inhabit', { being })
    expect([400, 403, 404]).toContain(status)
    expect(json.handle).toBeUndefined()
    expect(await groundOf(at.world)).toEqual(before)
  })

  it('one that another person drives is refused with the name of the driver', async () => {
    const tab = await drive(operator, '@kid')
    const refused = await at.post(ada, '/api/inhabit', { being: '@kid' })
    expect(refused).toMatchObject({ status: 409, json: { code: 'RESOURCE_CONFLICT' } })
    expect(refused.text).toContain('@operator')
    await release(tab)
  })

  it('a descendant of a descendant, from the tab that drives the first: its lease ends with the upper one', async () => {
    const upper = await drive(operator, '@ada')
    const lower = await drive(upper, '@kid')
    expect((await at.ask(lower, '/api/session')).json).toMatchObject({ stance: '@kid', driver: '@ada' })
    expect((await at.post(lower, '/api/v1/do', moveTo('/'))).status).toBe(200)
    await release(upper)
    expect(await at.ask(lower, '/api/session')).toMatchObject(LEASE_OVER)
    await isFree('kid')
  })
})

describe('who may use the lease of a tab', () => {
  it('nobody else: no other person, no other session of the same person, nobody without a session', async () => {
    const tab = await drive(ada, '@kid')
    const other = await at.sit('ada')
    const before = await groundOf(at.world)
    for (const seat of [bob, operator, other])
      expect(await at.post(inTab(seat, tab.tab ?? ''), '/api/v1/do', moveTo('/library'))).toMatchObject(
        LEASE_OVER,
      )
    for (const seat of [
      { ...tab, key: bob.key },
      { ...tab, cookie: bob.cookie },
      { ...tab, cookie: '', key: '' },
    ])
      expect((await at.post(seat, '/api/v1/do', moveTo('/library'))).status).toBe(401)
    expect(await groundOf(at.world)).toEqual(before)
    expect((await at.post(tab, '/api/v1/do', moveTo('/library'))).status).toBe(200) // the control
    await release(tab)
  })

  it('nobody by a handle that was never given, and the answer is the same', async () => {
    const tab = await drive(ada, '@kid')
    const stolen = await at.ask(inTab(bob, tab.tab ?? ''), '/api/session')
    for (const handle of ['x', '', 'A'.repeat(43), `${tab.tab}x`, (tab.tab ?? '').toLowerCase()])
      expect((await at.ask(inTab(bob, handle), '/api/session')).text, handle).toBe(stolen.text)
    await release(tab)
  })

  it('not by an older handle, although the same person drives the same being again', async () => {
    const first = await drive(ada, '@kid')
    await sql`update treeos.lease set expires = clock_timestamp() where being = 'kid'`.execute(at.world.owner)
    await isFree('kid')
    const again = await drive(ada, '@kid')
    const before = await groundOf(at.world)
    expect(await at.post(first, '/api/v1/do', moveTo('/'))).toMatchObject(LEASE_OVER)
    expect(await at.post(first, '/api/inhabit/renew', {})).toMatchObject(LEASE_OVER)
    expect(await groundOf(at.world)).toEqual(before)
    expect((await at.post(again, '/api/v1/do', moveTo('/'))).status).toBe(200)
    await release(again)
  })

  it('not by the person itself in its other tabs, although a command line of the same person could', async () => {
    const tab = await drive(ada, '@kid')
    const sent = { ...moveTo('/library'), as: '@kid', being: '@kid' }
    expect((await at.post(ada, '/api/v1/do', sent)).status).toBe(400)
    expect((await at.post(ada, '/api/v1/do', moveTo('/library'))).status).toBe(200)
    expect(await rowOf(at.world, 'ada')).toMatchObject({ space: '/library' })
    expect(await rowOf(at.world, 'kid')).toMatchObject({ space: '/' })
    await at.post(ada, '/api/v1/do', moveTo('/'))
    const asAda = { ...at.world, person: 'ada' }
    const call = { verb: 'do', operation: 'move', target: '/library', args: {} } as const
    await act(asAda, 'kid', call)
    expect(await rowOf(at.world, 'kid')).toMatchObject({ space: '/library' })
    await release(tab)
  })

  it('a lease that was taken elsewhere gives no handle', async () => {
    const inhabitation = await inhabit({ ...at.world, person: 'ada' }, { being: 'kid', as: 'ada' })
    expect((await at.post(ada, '/api/inhabit', { being: '@kid' })).status).toBe(409)
    expect((await at.post(ada, '/api/inhabit/renew', {})).status).toBe(400)
    await inhabitation.release()
  })
})

describe('what a tab shows is what the child may see', () => {
  it('its inbox, its past and its lists; not those of the driver', async () => {
    const said = { target: 'ada', content: 'for ada alone', as: 'operator', waitSeconds: null }
    await summon(at.world, said)
    await until(async () => (await at.ask(ada, '/api/v1/inbox')).text.includes('for ada alone'))
    const tab = await drive(ada, '@kid')
    const codes: Record<string, number> = {}
    for (const path of [
      '/api/v1/inbox',
      '/api/v1/threads',
      '/api/v1/beings/kid/moments',
      '/api/v1/beings/ada/moments',
      '/api/v1/beings/imp/moments',
    ]) {
      const { status, text } = await at.ask(tab, path)
      codes[path] = status
      expect(text, path).not.toContain('for ada alone')
    }
    expect(codes).toEqual({
      '/api/v1/inbox': 200,
      '/api/v1/threads': 200,
      '/api/v1/beings/kid/moments': 200,
      '/api/v1/beings/ada/moments': 403,
      '/api/v1/beings/imp/moments': 403,
    })
    await release(tab)
  })
})

describe('how it ends', () => {
  const answers = (seat: Seat): Promise<Answered> => at.ask(seat, '/api/session')

  it('signing out, in any tab of the session; another session of the person goes on', async () => {
    const seat = await at.enter('cleo')
    await at.post(seat, '/api/v1/be', {
      operation: 'birth',
      args: { name: 'cub', cognition: 'scripted', script: 'echo' },
    })
    const other = await at.sit('cleo')
    const tab = await drive(seat, '@cub')
    await at.post(other, '/api/sign-out', {})
    expect((await answers(tab)).status).toBe(200)
    await at.post(seat, '/api/sign-out', {})
    expect((await answers(tab)).status).toBe(401)
    await isFree('cub', 10)
  })

  // Those that wait for a lease wait side by side, each with a child of its own.
  it.concurrent('it holds while the tab renews it, past the time that one renewal gives', async () => {
    const tab = await drive(ada, '@kid')
    for (let second = 0; second < 24; second += 4) {
      expect(await at.post(tab, '/api/inhabit/renew', {})).toMatchObject({
        status: 200,
        json: { being: '@kid', driver: '@ada', seconds: 20 },
      })
      await new Promise((resolve) => setTimeout(resolve, 4_000))
    }
    expect((await answers(tab)).status).toBe(200)
    // Then its page goes away, and does not come back.
    expect((await at.post(tab, '/api/inhabit/leave', {})).status).toBe(200)
    await isFree('kid', 12)
    expect(await answers(tab)).toMatchObject(LEASE_OVER)
  })

  it.concurrent('a page that is loaded again goes on', async () => {
    const tab = await drive(ada, '@elf')
    await at.post(tab, '/api/inhabit/leave', {})
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect((await at.post(tab, '/api/inhabit/renew', {})).status).toBe(200)
    await new Promise((resolve) => setTimeout(resolve, 6_000))
    expect((await answers(tab)).status).toBe(200)
    await release(tab)
  })

  it.concurrent('silence of the tab: the lease runs out', async () => {
    const tab = await drive(ada, '@imp')
    await isFree('imp', 40)
    expect(await findLease(at.world.db, 'imp')).toBeNull()
    expect(await answers(tab)).toMatchObject(LEASE_OVER)
  })

  it.concurrent('the end of the session elsewhere: nothing is done any more, and the lease runs out', async () => {
    const seat = await at.enter('cleo')
    const tab = await drive(seat, '@cub')
    await at.enter('cleo') // ends every other session
    expect((await at.post(tab, '/api/inhabit/renew', {})).status).toBe(401)
    await isFree('cub', 40)
  })

  it('the end of the child', async () => {
    const tab = await drive(operator, '@imp')
    await at.post(operator, '/api/v1/do', { operation: 'end-being', target: '@imp', args: {} })
    expect(await answers(tab)).toMatchObject(LEASE_OVER)
  })
})

it('so many tabs of a session drive beings, and no more', async () => {
  const tabs: Seat[] = []
  for (let n = 0; n < 9; n++)
    await at.world.birth({ name: `pup-${n}`, cognition: 'scripted', script: 'echo' })
  for (let n = 0; n < 8; n++) tabs.push(await drive(operator, `@pup-${n}`))
  expect(await at.post(operator, '/api/inhabit', { being: '@pup-8' })).toMatchObject({
    status: 429,
    json: { code: 'RATE_LIMITED' },
  })
  await Promise.all(tabs.map(release))
  expect(at.errors).toEqual([])
})
