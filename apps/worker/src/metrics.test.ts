import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Metrics } from './metrics.ts'

let served: Awaited<ReturnType<Metrics['serve']>>
beforeAll(async () => {
  served = await new Metrics(null as never).serve(0, async () => ({ mind: null })) // no database: its numbers are NaN
})
afterAll(() => served.close())

/** @returns the status */
async function ask(path: string, host: string): Promise<number> {
  const { port } = new URL(served.url)
  const sent = request({ host: '127.0.0.1', port, path, headers: { host } })
  sent.end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode ?? 0
}

it.each(['127.0.0.1', '127.0.0.1:4000', 'localhost:1', '[::1]:9', 'LOCALHOST'])(
  'is read as %s',
  async (host) => {
    expect([await ask('/metrics', host), await ask('/mind', host)]).toEqual([200, 200])
  },
)

it.each([
  'evil.example',
  'evil.example:80',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  '192.168.1.5',
])('is not read under a rebound name: %j', async (host) => {
  expect([await ask('/metrics', host), await ask('/mind', host)]).toEqual([403, 403])
})
