import { once } from 'node:events'
import { createServer, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { NativeConnection } from '@temporalio/worker'
import { afterEach, expect, it } from 'vitest'
import { temporalAccess } from '../../support/temporal-access.ts'

const KEY = 'sentinel-key-of-an-instance-77aa'
const endings: (() => void)[] = []
afterEach(() => {
  for (const end of endings.splice(0)) end()
})

/**
 * A gRPC server of somebody else: it notes what callers show, and answers each call with success and an empty
 * message.
 */
async function squat() {
  let noted = ''
  const server = createServer()
  server.on('sessionError', () => undefined)
  server.on('session', (session) => endings.push(() => session.destroy()))
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    noted += JSON.stringify(headers)
    stream.on('error', () => undefined)
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.end(Buffer.alloc(5))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  endings.push(() => server.close())
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, noted: () => noted }
}

it('a worker shows nothing to another program in the place of our Temporal', async ({ skip }) => {
  const { address, noted } = await squat()
  const access = await temporalAccess()
  skip(typeof access.tls !== 'object', 'the Temporal that TEMPORAL_ADDRESS names takes no certificates')
  await expect(NativeConnection.connect({ ...access, address })).rejects.toThrow()
  expect(noted()).toBe('')
})

it('and shows its key where it has no certificate to ask for: the control', async () => {
  const { address, noted } = await squat()
  const connection = await NativeConnection.connect({ address, apiKey: KEY, tls: false })
  await connection.close()
  expect(noted()).toContain(`Bearer ${KEY}`)
})
