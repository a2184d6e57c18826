import { once } from 'node:events'
import { createServer, type Http2Server } from 'node:http2'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { connectTemporal, LateError, reachTemporal } from './connect.ts'

const UNAVAILABLE = 14

/** Answers the SDK's first question, after this time, and says of every other that it is unavailable. */
let server: Http2Server
let address: string
let busyMs = 0

beforeAll(async () => {
  server = createServer()
  server.on('stream', (stream, headers) => {
    const isFirst = String(headers[':path']).endsWith('/GetSystemInfo')
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': isFirst ? 0 : UNAVAILABLE }))
    setTimeout(() => stream.end(isFirst ? Buffer.alloc(5) : undefined), busyMs) // an empty message
    if (!isFirst) stream.once('close', () => server.emit('refused'))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

test('a call that is to be tried again fails when the connection is closed, and the process goes on', async () => {
  const connection = await connectTemporal({ address })
  const answered = once(server, 'refused')
  const refused = connection.workflowService.getClusterInfo({}).catch((error: unknown) => error)
  await answered // the next attempt comes 100 ms later
  await connection.close()
  expect(String(await refused)).toContain('Channel has been shut down')
})

test('a call on a closed connection fails', async () => {
  const connection = await connectTemporal({ address })
  await connection.close()
  await expect(connection.workflowService.getClusterInfo({})).rejects.toThrow('Channel has been shut down')
})

test('a server of this machine is reached past the proxy of the environment, which does not reach it', async () => {
  for (const name of ['grpc_proxy', 'https_proxy', 'http_proxy']) vi.stubEnv(name, 'http://127.0.0.1:9')
  vi.stubEnv('no_proxy', '')
  vi.stubEnv('no_grpc_proxy', '')
  try {
    const connection = await connectTemporal({ address, connectTimeout: 5000 })
    await connection.close()
    // Control: another name is asked for by the proxy, which is away.
    const elsewhere = connectTemporal({ address: 'temporal.example:7233', connectTimeout: 300 })
    await expect(elsewhere).rejects.toThrow()
  } finally {
    vi.unstubAllEnvs()
  }
})

test.each([
  { patienceMs: 10_000, is: 'reached' },
  { patienceMs: 500, is: 'late, and is not said to be away' },
])('a server that answers after 1 s and is given $patienceMs ms is $is', async ({ patienceMs, is }) => {
  busyMs = 1000
  try {
    const reached = reachTemporal({ address }, patienceMs)
    if (is === 'reached') await (await reached).close()
    else await expect(reached).rejects.toThrow(LateError)
  } finally {
    busyMs = 0
  }
})

test('an address that refuses connections is away long before the time is over', async () => {
  const since = Date.now()
  const reached = reachTemporal({ address: `localhost:${await freePort()}` }, 60_000)
  await expect(reached).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  expect(Date.now() - since).toBeLessThan(20_000)
})

test('a server that starts meanwhile is reached, though its address refused connections before', async () => {
  const port = await freePort()
  const reached = reachTemporal({ address: `127.0.0.1:${port}` }, 30_000)
  await sleep(800) // after the first probe
  const starting = createServer()
  starting.on('stream', (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': 0 }))
    stream.end(Buffer.alloc(5))
  })
  starting.listen(port, '127.0.0.1')
  await (await reached).close()
  starting.close()
})

async function freePort(): Promise<number> {
  const taken = createTcpServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  taken.close()
  await once(taken, 'close')
  return port
}
