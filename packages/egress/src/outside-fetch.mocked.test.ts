import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { isPrivate, outsideFetch } from './outside-fetch.ts'

const lookup = vi.hoisted(() => ({ addresses: [] as { address: string; family: number }[] }))
vi.mock('node:dns/promises', () => ({ lookup: async () => lookup.addresses }))

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})
/** @returns the port of a server on loopback, and the requests that it got */
async function serve(answer: RequestListener): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    answer(request, response)
  })
  open.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { port: (server.address() as AddressInfo).port, asked }
}
const never = new AbortController().signal
const fine: RequestListener = (_request, response) => response.end('{"sky":"blue"}')
const names = (...addresses: string[]) => {
  lookup.addresses = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}

describe('a private address', () => {
  it('is not reached by its number, in any spelling', async () => {
    const { port, asked } = await serve(fine)
    for (const host of [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0.0.0.0',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::]',
    ])
      await expect(outsideFetch([], never)(`http://${host}:${port}/`)).rejects.toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringContaining('TREEOS_FETCH_PRIVATE'),
      })
    expect(asked).toEqual([])
  })

  it('is not reached by a name, also where only one of its addresses is private', async () => {
    const { port, asked } = await serve(fine)
    for (const addresses of [['127.0.0.1'], ['93.184.216.34', '127.0.0.1'], ['::ffff:7f00:1']]) {
      names(...addresses)
      await expect(outsideFetch([], never)(`http://rebound.test:${port}/`)).rejects.toMatchObject({
        code: 'FORBIDDEN',
      })
    }
    expect(asked).toEqual([])
  })

  it.each(['127.0.0.1', '127.0.0.1:PORT'])(
    'control: is reached when the operator allows %s',
    async (allowed) => {
      const { port, asked } = await serve(fine)
      const answer = await outsideFetch(
        [allowed.replace('PORT', String(port))],
        never,
      )(`http://127.0.0.1:${port}/x`)
      expect(answer).toMatchObject({ status: 200, ok: true })
      expect(answer.json()).toEqual({ sky: 'blue' })
      expect(asked).toEqual(['GET /x'])
    },
  )

  it('is not reached when the operator allows another port of it', async () => {
    const { port, asked } = await serve(fine)
    await expect(outsideFetch(['127.0.0.1:1'], never)(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
    expect(asked).toEqual([])
  })

  it.each([
    ['10.1.2.3', true],
    ['172.16.0.1', true],
    ['172.32.0.1', false],
    ['192.168.1.1', true],
    ['169.254.169.254', true],
    ['100.64.0.1', true],
    ['8.8.8.8', false],
    ['224.0.0.1', true],
    ['255.255.255.255', true],
    ['::1', true],
    ['fe80::1', true],
    ['fd00::1', true],
    ['64:ff9b::7f00:1', true],
    ['2002:7f00:1::', true],
    ['2606:4700::1111', false],
  ])('%s: %s', (address, expected) => expect(isPrivate(address)).toBe(expected))
})

describe('an answer', () => {
  const fetchFrom = async (answer: RequestListener, signal = never) => {
    const served = await serve(answer)
    const url = `http://127.0.0.1:${served.port}/`
    return { ...served, url, fetch: outsideFetch(['127.0.0.1'], signal) }
  }

  it('longer than 1 MiB is cut while it comes', async () => {
    let sent = 0
    const { fetch, url } = await fetchFrom((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) sent += 65_536
        response.once('drain', more)
      }
      more()
    })
    await expect(fetch(url)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
    expect(sent).toBeLessThan(32 * 1024 * 1024)
  })

  it.each([
    ['nothing', () => undefined],
    ['half of it', (_request: unknown, response: { write(text: string): void }) => response.write('half')],
  ])('of which %s comes ends at the timeout', async (_what, answer) => {
    const { fetch, url } = await fetchFrom(answer as RequestListener)
    await expect(fetch(url, { timeoutSeconds: 0.2 })).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  it('ends with the attempt', async () => {
    const stop = new AbortController()
    const { fetch, url } = await fetchFrom(() => undefined, stop.signal)
    setTimeout(() => stop.abort(new Error('over')), 50)
    await expect(fetch(url)).rejects.toThrow('over')
  })

  it('that redirects is returned, and not followed', async () => {
    const { fetch, url, asked } = await fetchFrom((_request, response) =>
      response.writeHead(302, { location: '/elsewhere' }).end(),
    )
    const answer = await fetch(url)
    expect([answer.status, answer.ok, answer.header('Location')]).toEqual([302, false, '/elsewhere'])
    expect(asked).toHaveLength(1)
  })

  it('comes to a request with method, headers and body', async () => {
    let body = ''
    const { fetch, url, asked } = await fetchFrom((request, response) => {
      request.on('data', (chunk) => (body += chunk)).on('end', () => response.end(request.headers['x-key']))
    })
    expect((await fetch(url, { method: 'POST', headers: { 'x-key': 'k' }, body: 'hello' })).text()).toBe('k')
    expect([asked, body]).toEqual([['POST /'], 'hello'])
  })
})

it.each(['file:///etc/passwd', 'ftp://a/', 'nonsense', 'http://u:p@example.com/'])(
  'refuses %s',
  async (url) => {
    await expect(outsideFetch([], never)(url)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  },
)
