import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { freePort, PortTakenError } from './ports.ts'

it('ports are free and differ', async () => {
  const ports = await Promise.all([freePort('a'), freePort('b'), freePort('c')])
  expect(new Set(ports).size).toBe(3)
  for (const port of ports) expect(port).toBeLessThan(32_000) // no outgoing connection takes it
})

it('a taken port that was asked for is refused by name, a preferred one is passed over', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    await expect(freePort('Postgres', { wanted: port })).rejects.toThrow(PortTakenError)
    await expect(freePort('Postgres', { wanted: port })).rejects.toThrow(`port ${port} for Postgres is taken`)
    expect(await freePort('Postgres', { preferred: port })).not.toBe(port)
  } finally {
    server.close()
  }
  expect(await freePort('Postgres', { wanted: port })).toBe(port)
})
