/**
 * Addresses that others chose, through a proxy of the environment: it must not reach for them what is
 * private.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { outsideFetch } from './outside-fetch.ts'

const lookup = vi.hoisted(() => ({ addresses: [] as { address: string; family: number }[] }))
vi.mock('node:dns/promises', () => ({ lookup: async () => lookup.addresses }))

const never = new AbortController().signal
const PUBLIC = { address: '93.184.216.34', family: 4 }
const servers: Server[] = []
const listen = (server: Server): Promise<number> => {
  servers.push(server)
  return new Promise((done) =>
    server.listen(0, '127.0.0.1', () => done((server.address() as AddressInfo).port)),
  )
}
/** what the proxy was asked for */
let seen: string[] = []

const hasOpenssl = spawnSync('openssl', ['version']).status === 0
describe.skipIf(!hasOpenssl)('through a proxy', () => {
  beforeAll(async () => {
    const home = mkdtempSync(join(tmpdir(), 'treeos-egress-'))
    const [key, cert] = [join(home, 'key.pem'), join(home, 'cert.pem')]
    const how = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const what = ['-subj', '/CN=hook.test', '-addext', 'subjectAltName=DNS:hook.test', '-keyout', key]
    execFileSync('openssl', [...how, ...what, '-out', cert], { stdio: 'ignore' })
    const tls = { key: readFileSync(key), cert: readFileSync(cert, 'utf8') }
    rmSync(home, { recursive: true })
    setDefaultCACertificates([...getCACertificates('default'), tls.cert])
    const answer: Parameters<typeof createServer>[1] = ({ url, headers }, response) =>
      response.end(`${url} of ${headers.host}`)
    const ports = { 443: await listen(createTlsServer(tls, answer)), 80: await listen(createServer(answer)) }
    const proxy = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`)
      response.end('the proxy itself')
    })
    proxy.on('connect', ({ url = '', headers }, socket) => {
      seen.push(`CONNECT ${url} ${headers['proxy-authorization'] ?? ''}`)
      if (url.startsWith('refused.test')) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
      const through = connect(ports[url.endsWith(':80') ? 80 : 443], '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        through.pipe(socket).pipe(through)
      })
      for (const one of [socket, through]) one.on('error', () => undefined)
    })
    const url = `http://u:p@127.0.0.1:${await listen(proxy)}`
    vi.stubEnv('HTTP_PROXY', url)
    vi.stubEnv('HTTPS_PROXY', url)
    vi.stubEnv('NO_PROXY', '')
  })
  beforeEach(() => {
    seen = []
    lookup.addresses = [PUBLIC]
    vi.stubEnv('TREEOS_PROXY_RESOLVES', '')
  })
  afterAll(() => {
    vi.unstubAllEnvs()
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
  })

  const PASSWORD = `Basic ${btoa('u:p')}`

  it('asks the proxy for the address that it found, and speaks to the name', async () => {
    const answer = await outsideFetch([], never)('https://hook.test/in?a=1')
    expect(answer.text()).toBe('/in?a=1 of hook.test')
    expect(seen).toEqual([`CONNECT 93.184.216.34:443 ${PASSWORD}`])
  })

  it('does so over plain HTTP too, in a tunnel', async () => {
    const asked = { method: 'POST', body: 'x' }
    expect((await outsideFetch([], never)('http://hook.test/in', asked)).text()).toBe('/in of hook.test')
    expect(seen).toEqual([`CONNECT 93.184.216.34:80 ${PASSWORD}`])
  })

  it('checks the certificate against the name', async () => {
    const asked = outsideFetch([], never)('https://other.test/')
    await expect(asked).rejects.toMatchObject({ message: expect.stringMatching(/other.test|altnames/) })
  })

  it.each([
    ['a private address', 'https://10.0.0.1/', [PUBLIC]],
    ['a private address over plain HTTP', 'http://169.254.169.254/latest', [PUBLIC]],
    ['a name with a private address', 'https://hook.test/', [{ address: '10.0.0.1', family: 4 }]],
    ['a name with one of two', 'http://hook.test/', [PUBLIC, { address: '::1', family: 6 }]],
  ])('never asks the proxy for %s', async (_what, url, addresses) => {
    lookup.addresses = addresses
    await expect(outsideFetch([], never)(url)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(seen).toEqual([])
  })

  it('gives the proxy the name where it alone resolves names, and never a private address', async () => {
    vi.stubEnv('TREEOS_PROXY_RESOLVES', '1')
    lookup.addresses = []
    expect((await outsideFetch([], never)('https://hook.test/')).status).toBe(200)
    expect(seen).toEqual([`CONNECT hook.test:443 ${PASSWORD}`])
    await expect(outsideFetch([], never)('https://[fd00::1]/')).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('gives the proxy the name of a host that the operator allows', async () => {
    lookup.addresses = []
    await outsideFetch(['hook.test'], never)('https://hook.test/')
    expect(seen).toEqual([`CONNECT hook.test:443 ${PASSWORD}`])
  })

  it('fails when the proxy refuses', async () => {
    await expect(outsideFetch(['refused.test'], never)('https://refused.test/')).rejects.toThrow('403')
  })

  it.each<[string, string, Record<string, string>]>([
    ['a key in a header', 'http://hook.test/', { authorization: 'Bearer sk' }],
    ['a token', 'http://hook.test/', { 'X-Auth-Token': 'sk' }],
    ['a subscription', 'http://hook.test/', { 'ocp-apim-subscription-key': 'sk' }],
    ['a cookie that it may have made up', 'http://hook.test/', { cookie: 'x' }],
    ['a key in the query', 'http://hook.test/?key=sk', {}],
  ])('sends %s over plain HTTP neither by it nor round it', async (_what, url, headers) => {
    const asked = outsideFetch([], never)(url, { headers })
    await expect(asked).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('use https'),
    })
    expect(seen).toEqual([])
  })

  it('takes a key that names the request, and a signature, over plain HTTP', async () => {
    const headers = { 'idempotency-key': 'k', 'webhook-signature': 'v1,x' }
    expect((await outsideFetch([], never)('http://hook.test/in', { headers })).status).toBe(200)
  })
})
