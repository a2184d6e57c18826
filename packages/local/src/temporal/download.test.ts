import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { bareEnv, temporaryFolders } from '../../test/instances.ts'
import { freePort } from '../machine/ports.ts'
import { downloadTemporal } from './download.ts'

const folder = temporaryFolders()

/** Behind a proxy on this port. */
async function download(port: number) {
  const lines: string[] = []
  const into = folder()
  const proxy = `http://127.0.0.1:${port}`
  const env = { ...bareEnv, HTTPS_PROXY: proxy, https_proxy: proxy, NO_PROXY: '', no_proxy: '' }
  const startedAt = performance.now()
  await downloadTemporal(into, { env, onProgress: (line) => lines.push(line) })
  return { lines, files: readdirSync(into), seconds: (performance.now() - startedAt) / 1000 }
}

it('a closed network costs one line', async () => {
  const { lines, files } = await download(await freePort('nobody'))
  expect(lines).toHaveLength(2)
  expect(lines[0]).toContain('TREEOS_NO_DOWNLOAD=1')
  expect(lines[1]).toMatch(/^the download is not possible here \(.+\)$/)
  expect(files).toEqual([])
})

it('a network that swallows everything costs seconds', async () => {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { lines, seconds } = await download((server.address() as AddressInfo).port)
    expect(lines[1]).toBe('the download is not possible here (nothing arrives)')
    expect(seconds).toBeLessThan(10)
    expect(sockets.length).toBeGreaterThan(0)
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})
