import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { egressFetch } from './fetch.ts'
import { whyPastProxy } from './proxy.ts'

const SECRET = 'Bearer sk-KEY-55'
let direct: Server
let proxy: Server
/** what the proxy was asked, byte for byte */
let seen: string[] = []
const tunnels = new Set<{ destroy(): void }>()

const listening = (server: Server) =>
  new Promise<number>((done) =>
    server.listen(0, '127.0.0.1', () => done((server.address() as AddressInfo).port)),
  )

beforeAll(async () => {
  direct = createServer((request, response) => response.end(`direct ${request.url}`))
  const target = await listening(direct)
  proxy = createServer((request, response) => {
    const asked = `${request.method} ${request.url} ${request.headers.authorization ?? ''}`
    let body = ''
    request.on('data', (part) => (body += part))
    request.on('end', () => {
      seen.push(`${asked}${body}`)
      response.end('by proxy')
    })
  })
  // A proxy that leads every tunnel to the server above.
  proxy.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url} ${request.headers.authorization ?? ''}`)
    const through = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      through.pipe(socket).pipe(through)
    })
    for (const one of [socket, through]) {
      tunnels.add(one)
      one.on('error', () => undefined)
    }
  })
  const port = await listening(proxy)
  vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${port}`)
  vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${port}`)
})
afterEach(() => {
  seen = []
})
afterAll(async () => {
  vi.unstubAllEnvs()
  for (const socket of tunnels) socket.destroy()
  for (const server of [direct, proxy]) {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
})
const port = () => (direct.address() as AddressInfo).port

it('goes through the proxy that the environment names', async () => {
  const response = await egressFetch('http://elsewhere.test/v1/models')
  expect(await response.text()).toBe('by proxy')
  expect(seen).toEqual(['GET http://elsewhere.test/v1/models '])
})

it('takes a request with its method, headers and body', async () => {
  const request = new Request('http://elsewhere.test/a', { method: 'POST', body: 'hello' })
  expect(await (await egressFetch(request)).text()).toBe('by proxy')
  expect(seen).toEqual(['POST http://elsewhere.test/a hello'])
})

it('tells a proxy of HTTPS the host only', async () => {
  const asked = egressFetch('https://elsewhere.test/v1/models', { headers: { authorization: SECRET } })
  await expect(asked).rejects.toThrow('fetch failed') // the server behind the tunnel has no TLS
  expect(seen).toEqual([expect.stringMatching(/^CONNECT elsewhere.test:443 $/)])
})

it('goes to this machine without it', async () => {
  for (const host of ['127.0.0.1', 'localhost'])
    expect(
      await (await egressFetch(`http://${host}:${port()}/a`, { headers: { authorization: SECRET } })).text(),
    ).toBe('direct /a')
  expect(seen).toEqual([])
})

it.each([
  ['a key in a header', 'http://elsewhere.test/v1', { authorization: SECRET }],
  ["Anthropic's header", 'http://elsewhere.test/v1', { 'x-api-key': SECRET }],
  ["a gateway's header", 'http://elsewhere.test/v1', { apikey: SECRET }],
  ['a token', 'http://elsewhere.test/v1', { 'x-auth-token': SECRET }],
  ['a key in the query', 'http://elsewhere.test/v1?key=1', {}],
])('never takes %s over plain HTTP through it', async (_, url, headers) => {
  const asked = await egressFetch(url, { headers, signal: AbortSignal.timeout(2000) }).catch((error) => error)
  expect(asked).toBeInstanceOf(Error)
  // The name of the host may take long to be not found.
  if (asked instanceof TypeError) expect(whyPastProxy(asked)).toContain('write https://')
  expect(seen).toEqual([])
})

it('goes to the hosts of NO_PROXY without it', async () => {
  vi.stubEnv('NO_PROXY', 'elsewhere.test')
  await expect(egressFetch('http://elsewhere.test/v1')).rejects.toThrow()
  expect(seen).toEqual([])
  vi.stubEnv('NO_PROXY', '')
})

it('goes straight where no proxy is named', async () => {
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY']) vi.stubEnv(name, '')
  expect(await (await egressFetch(`http://127.0.0.1:${port()}/b`)).text()).toBe('direct /b')
})
