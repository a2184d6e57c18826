import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { outsideFetch } from '@treeos/egress'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { INWARD, LOOPBACK, NO_URLS } from '../test/inward-addresses.ts'
import { exchange } from './model/fetch.ts'

const lookup = vi.hoisted(() => ({ address: '' }))
vi.mock('node:dns/promises', () => ({
  lookup: async () => [{ address: lookup.address, family: isIP(lookup.address) }],
}))

const ALL = [...LOOPBACK, ...INWARD]
const never = new AbortController().signal
/** each request that reached the server inside */
const reached: string[] = []
let inside: Server
/** redirects to the URL of its path */
let outside: Server
const portOf = (server: Server) => (server.address() as AddressInfo).port
const listen = (server: Server, host: string) =>
  new Promise<void>((done) => server.listen(0, host, () => done()))

beforeAll(async () => {
  const inner: RequestListener = ({ headers }, response) => {
    reached.push(headers.host ?? '')
    response.end('{"secret":1}')
  }
  inside = createServer(inner)
  outside = createServer((request, response) => {
    const location = Buffer.from(decodeURIComponent((request.url ?? '').slice(1))).toString('latin1')
    response.writeHead(307, { location }).end()
  })
  await listen(inside, '::') // both families
  await listen(outside, '127.0.0.1')
})
afterAll(() => {
  inside.close()
  outside.close()
})
beforeEach(() => reached.splice(0))

const urlOf = (host: string) => `http://${host}:${portOf(inside)}/latest/meta-data/`
/** As a parser of URLs writes it. */
const addressOf = (host: string) => new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, '')
const redirecting = (host: string) => `http://127.0.0.1:${portOf(outside)}/${encodeURIComponent(urlOf(host))}`
const allowed = () => [`127.0.0.1:${portOf(outside)}`]

describe('an address inside is reached by no spelling', () => {
  it.each(ALL)('as the address of an effect: %s', async (host) => {
    await expect(outsideFetch([], never)(urlOf(host))).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(reached).toEqual([])
  })

  it.each(ALL)('as the address of a name: %s', async (host) => {
    lookup.address = addressOf(host)
    expect(isIP(lookup.address)).not.toBe(0)
    await expect(outsideFetch([], never)(urlOf('rebound.test'))).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(reached).toEqual([])
  })

  it.each(ALL)('as what a server redirects an effect to: %s', async (host) => {
    expect((await outsideFetch(allowed(), never)(redirecting(host))).status).toBe(307)
    expect(reached).toEqual([])
  })

  it.each(ALL)('as what a model server redirects to: %s', async (host) => {
    expect(
      await exchange(new URL(redirecting(host)), { method: 'POST', headers: new Headers(), body: '{}' }),
    ).toMatchObject({
      refusal: { status: 307 },
    })
    expect(reached).toEqual([])
  })

  it.each(NO_URLS)('nor is this a URL of an effect: %s', async (url) => {
    await expect(outsideFetch(['127.0.0.1'], never)(url)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  it('80 spellings and more', () => expect(ALL.length + NO_URLS.length).toBeGreaterThan(80))
})

describe('control: without the guard the same address is reached', () => {
  /** What this machine's network answers at: not each kind of IPv6 address is loopback for a kernel. */
  const KERNEL = LOOPBACK.filter((host) =>
    /^(127\.|0\.0\.0\.0$|::1$|::$|::ffff:7f00:1$)/.test(addressOf(host)),
  )
  it.each(KERNEL)('as the address of an effect that the operator allows: %s', async (host) => {
    const { hostname } = new URL(urlOf(host))
    expect((await outsideFetch([hostname], never)(urlOf(host))).json()).toEqual({ secret: 1 })
    expect(reached).toHaveLength(1)
  })

  it.each(['127.0.0.1', '[::1]'])('by a client that follows redirects: %s', async (host) => {
    expect((await fetch(redirecting(host))).status).toBe(200)
    expect(reached).toHaveLength(1)
  })
})
