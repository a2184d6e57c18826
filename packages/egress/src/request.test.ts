import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { egressRequest } from './request.ts'

const CODED: Readonly<Record<string, (words: string) => string | Buffer>> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  'gzip, br': (words) => brotliCompressSync(gzipSync(words)),
  unheard: (words) => words,
}
let server: Server
let seen: { method?: string | undefined; headers: Record<string, unknown>; body: string }[] = []

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { method, headers } = request
    seen.push({ method, headers, body: await text(request) })
    const coding = decodeURIComponent(request.url?.slice(1) ?? '')
    if (coding === 'moved') response.writeHead(307, { location: '/gzip' }).end()
    else if (coding === 'cut') {
      response.writeHead(200, { 'content-length': 100 }).write('half')
      setTimeout(() => response.destroy(), 20)
    } else response.writeHead(200, { 'content-encoding': coding }).end(CODED[coding]?.('hello'))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY']) vi.stubEnv(name, '')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})

const at = (path: string) =>
  new URL(encodeURIComponent(path), `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
const headers = new Headers({ accept: 'application/json' })

it.each(Object.keys(CODED))('reads a body with the coding %s', async (coding) => {
  const { status, body } = await egressRequest(at(coding), { headers })
  expect([status, await text(body)]).toEqual([200, 'hello'])
})

it('sends what fetch sends', async () => {
  seen = []
  const asked = { method: 'POST', headers, body: 'hi' }
  await text((await egressRequest(at('gzip'), asked)).body)
  await (await fetch(at('gzip'), asked)).text()
  const [ours, theirs] = seen.map(({ headers: { 'content-type': _type, ...sent }, ...more }) => ({
    ...more,
    sent,
  }))
  expect(ours).toEqual(theirs)
})

it('follows no redirect', async () => {
  const { status, headers: found, body } = await egressRequest(at('moved'), { headers })
  expect([status, found.get('Location'), found.get('location')]).toEqual([307, '/gzip', '/gzip'])
  body.destroy()
})

it('fails as fetch fails', async () => {
  const left = createServer()
  await new Promise<void>((done) => left.listen(0, '127.0.0.1', done))
  const url = new URL(`http://127.0.0.1:${(left.address() as AddressInfo).port}/`)
  await new Promise((done) => left.close(done))
  const failed = await egressRequest(url, { headers }).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(TypeError)
  expect(failed).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNREFUSED' } })
  const codings = Array.from({ length: 6 }, () => 'gzip').join()
  await expect(egressRequest(at(codings), { headers })).rejects.toBeInstanceOf(TypeError)
  const reason = new Error('too late')
  await expect(egressRequest(at('gzip'), { headers, signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  await expect(text((await egressRequest(at('cut'), { headers })).body)).rejects.toMatchObject({
    code: 'UND_ERR_SOCKET',
  })
})
