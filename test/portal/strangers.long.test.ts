/** Strangers and neighbours: nobody takes the room of others, without a session or with many. */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PASSWORD, PortalWorld, type Seat, send } from '../support/portal.ts'

let at: PortalWorld
beforeAll(async () => {
  at = await PortalWorld.start()
  await at.enter('ada')
})
afterAll(() => at?.close())
beforeEach(async () => {
  await sql`delete from portal.throttle`.execute(at.world.owner)
  await at.serveAnew()
})

const signIn = (
  name: string,
  password: string,
  sent: { from?: string; headers?: Record<string, string> } = {},
) => at.post(null, '/api/open/sign-in', { name, password }, sent)
const deviceIn = ({ headers }: { headers: { 'set-cookie'?: unknown } }) => ({
  cookie: (headers['set-cookie'] as string[])[1]?.split(';')[0] ?? '',
})
/** Asks in hundreds at once until many are refused, however slow the machine is. @returns how many were */
async function flood(ask: (i: number) => Promise<{ status: number }>): Promise<number> {
  let refused = 0
  for (let round = 0; round < 20 && refused < MANY; round++) {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => ask(i)))
    refused += answers.filter(({ status }) => status === 429).length
  }
  return refused
}
const MANY = 20
const ways = (sent: { from?: string; headers?: Record<string, string> }) =>
  at.ask(null, '/api/open/ways', sent)

describe('strangers that ask without end', () => {
  it('use up the room of their own address alone', async () => {
    expect(await flood(() => ways({ from: '127.0.0.9' }))).toBeGreaterThanOrEqual(MANY)
    expect(await flood(() => at.ask(null, '/api/session', { from: '127.0.0.9' }))).toBeGreaterThanOrEqual(
      MANY,
    )
    expect((await ways({ from: '127.0.0.1' })).status).toBe(200)
    expect((await signIn('ada', PASSWORD, { from: '127.0.0.1' })).status).toBe(200)
    // The flood was refused at its address. Reading and signing in are counted apart, so signing in goes on
    // there.
    expect((await signIn('ada', PASSWORD, { from: '127.0.0.9' })).status).toBe(200)
  })

  it('by signing in do not stop who signed in before in this browser, and who has a link, at the same address', async () => {
    const device = deviceIn(await signIn('ada', PASSWORD))
    const token = await at.linkFor('cleo')
    // A passkey is asked for without a hash, so this is quick.
    const ask = () => at.post(null, '/api/open/passkey', { mediation: 'modal' }, { from: '127.0.0.9' })
    expect(await flood(ask)).toBeGreaterThanOrEqual(MANY)
    const from = '127.0.0.9'
    expect((await signIn('ada', PASSWORD, { from, headers: device })).status).toBe(200)
    expect((await at.post(null, '/api/open/link/use', { token, password: PASSWORD }, { from })).status).toBe(
      200,
    )
    // Control: browsers in which nobody signed in, while the flood goes on.
    const others = () => signIn('ada', PASSWORD, { from })
    const [, ...answers] = await Promise.all([flood(ask), others(), others(), others()])
    expect(answers.map(({ status }) => status)).toContain(429)
  })

  it('at five requests a second refuse no sign-in of ten', async () => {
    const stopping = new AbortController()
    const attack = (async () => {
      const asked: Promise<unknown>[] = []
      while (!stopping.signal.aborted) {
        asked.push(
          signIn(`nobody-${asked.length}`, 'guess', { from: '127.0.0.9' }),
          ways({ from: '127.0.0.9' }),
        )
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
      await Promise.all(asked)
    })()
    const answers: number[] = []
    for (let i = 0; i < 10; i++) answers.push((await signIn('ada', PASSWORD)).status)
    stopping.abort()
    await attack
    expect(answers).toEqual(Array.from({ length: 10 }, () => 200))
  })
})

describe('the address that counts', () => {
  const as = (address: string) => ({ headers: { 'x-forwarded-for': address } })

  it('is that of the connection: a header does not help who floods', async () => {
    expect(await flood((i) => ways(as(`198.51.100.${i}`)))).toBeGreaterThanOrEqual(MANY)
  })

  it('is what a trusted proxy says, and whoever stands before it cannot choose it', async () => {
    await at.serveAnew({ proxies: ['127.0.0.0/8', '::1'] })
    expect(await flood(() => ways(as('198.51.100.1')))).toBeGreaterThanOrEqual(MANY)
    expect(await flood((i) => ways(as(`203.0.113.${i}, 198.51.100.1`)))).toBeGreaterThanOrEqual(MANY)
    expect((await ways(as('198.51.100.2'))).status).toBe(200)
  })
})

describe('who knows a name', () => {
  const guess = (from: string, i: number) => signIn('ada', `guess number ${i}`, { from })

  it('locks its person out neither elsewhere, nor in a browser that the person used before', async () => {
    const device = deviceIn(await signIn('ada', PASSWORD))
    for (let i = 0; i < 6; i++) await guess('127.0.0.9', i)
    expect((await guess('127.0.0.9', 7)).status).toBe(429)
    expect((await signIn('ada', PASSWORD, { from: '127.0.0.9', headers: device })).status).toBe(200)
    expect((await signIn('ada', PASSWORD, { from: '127.0.0.3' })).status).toBe(200)
    // Control: without the browser, at the address of the guesses.
    expect((await signIn('ada', PASSWORD, { from: '127.0.0.9' })).status).toBe(429)
  })

  it('and guesses from everywhere is slowed for all its addresses, and does not slow that browser or a link', async () => {
    const device = deviceIn(await signIn('ada', PASSWORD))
    await sql`
      update portal.throttle set failures = 60, until = clock_timestamp() + interval '1 minute'
      where key = 'ada'`.execute(at.world.owner)
    expect((await guess('127.0.0.44', 1)).status).toBe(429)
    expect((await signIn('ada', PASSWORD, { headers: device })).status).toBe(200)
    const token = await at.linkFor('ada')
    expect((await at.post(null, '/api/open/link/use', { token, password: PASSWORD })).status).toBe(200)
  })

  it('counts all addresses together', async () => {
    await sql`insert into portal.throttle values ('ada', 48, clock_timestamp())`.execute(at.world.owner)
    for (let i = 0; i < 4; i++) await guess(`127.0.0.${50 + i}`, i)
    expect((await guess('127.0.0.60', 1)).status).toBe(429)
  })

  it('gets nothing by a browser of its own, of another person, or made up', async () => {
    await at.enter('bob')
    const bobs = deviceIn(await signIn('bob', PASSWORD))
    const [name = ''] = bobs.cookie.split('=')
    const from = '127.0.0.9'
    for (let i = 0; i < 6; i++) await guess(from, i)
    const { owner } = at.world
    const { rows } = await sql<{ hash: string }>`
      select encode(secret_hash, 'hex') as hash from portal.device where being = 'ada'`.execute(owner)
    expect(rows.length).toBeGreaterThan(0) // she has some
    for (const cookie of [bobs.cookie, `${name}=${'A'.repeat(43)}`, `${name}=${rows[0]?.hash}`])
      expect((await signIn('ada', PASSWORD, { from, headers: { cookie } })).status).toBe(429)
  })

  it('of a browser that the person used before guesses no faster in it', async () => {
    const headers = deviceIn(await signIn('ada', PASSWORD))
    for (let i = 0; i < 6; i++) await signIn('ada', `guess number ${i}`, { headers })
    expect((await signIn('ada', PASSWORD, { headers })).status).toBe(429)
    expect((await signIn('ada', PASSWORD)).status).toBe(200) // elsewhere
  })
})

describe('a person with many sessions', () => {
  it('takes no more live streams than sixteen', async () => {
    const seats = await Promise.all(Array.from({ length: 5 }, () => at.sit('cleo')))
    const statuses: number[] = []
    const stopping = new AbortController()
    for (const seat of seats)
      for (let i = 0; i < 4; i++) {
        const answer = await fetch(`${at.origin}/api/live`, {
          headers: { cookie: seat.cookie, 'x-treeos-key': seat.key },
          signal: stopping.signal,
        })
        statuses.push(answer.status)
      }
    stopping.abort()
    expect(statuses.filter((status) => status === 200)).toHaveLength(16)
    expect(statuses.filter((status) => status === 429)).toHaveLength(4)
  })

  it('makes others wait by no number of large lints: they are refused before they are read', async () => {
    const [one, other] = [await at.sit('cleo'), await at.sit('bob')]
    const clauses = Array.from({ length: 9000 }, (_, i) => ({ role: `r${i}`, when: { verb: `v${i}` } }))
    const large = JSON.stringify({ flow: clauses }).slice(0, 377_000)
    const lints = Promise.all(
      Array.from({ length: 20 }, () => at.ask(one, '/api/v1/flows/check', { method: 'POST', body: large })),
    )
    const startedAt = performance.now()
    expect((await at.ask(other, '/api/session')).status).toBe(200)
    const waited = performance.now() - startedAt
    expect((await lints).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 413))
    expect(waited).toBeLessThan(1000)
    // Control: a flow of a size that is stored is checked.
    const flow = clauses.slice(0, 100)
    expect((await at.post(one, '/api/v1/flows/check', { flow })).status).toBe(200)
  })

  it('is refused a body that hides its size', async () => {
    const seat = await at.sit('cleo')
    const headers = { 'transfer-encoding': 'chunked' }
    const body = JSON.stringify({ flow: 'x'.repeat(300_000) })
    expect((await at.ask(seat, '/api/v1/flows/check', { method: 'POST', body, headers })).status).toBe(413)
    // Without a session nobody's body is read.
    const own = { origin: at.origin, 'content-type': 'application/json' }
    const asked = await send(at.origin, '/api/v1/flows/check', {
      method: 'POST',
      body,
      headers: { ...headers, ...own },
    })
    expect(asked.status).toBe(401)
  })
})

it('acts of a person have a bound in a minute over all its sessions, and not those of others', async () => {
  await at.serveAnew({ actsPerMinute: 5 })
  const say = (seat: Seat) => at.post(seat, '/api/v1/summon', { target: '@operator', content: 'again' })
  const seats = [await at.sit('cleo'), await at.sit('cleo')] as const
  const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => say(seats[i % 2 === 0 ? 0 : 1])))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  const refused = answers.find(({ status }) => status === 429)
  expect(refused?.json.detail).toContain('(TREEOS_ACTS_PER_MINUTE)')
  expect((await say(await at.sit('ada'))).status).toBe(200)
})
