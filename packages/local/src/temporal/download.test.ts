import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, constants, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bareEnv, temporaryFolders } from '../../test/instances.ts'
import { freePort } from '../machine/ports.ts'
import { DOWNLOADED, downloadTemporal } from './download.ts'
import { pinnedArchive } from './pinned-archive.ts'

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

describe('an archive from a server', () => {
  const PROGRAM = '#!/bin/sh\necho temporal\n'

  /** @returns what a download of this archive says and leaves */
  async function downloaded(pin: (archive: Buffer) => string) {
    const from = folder()
    writeFileSync(join(from, 'temporal'), PROGRAM, { mode: 0o755 })
    writeFileSync(join(from, 'LICENSE'), 'MIT')
    execFileSync('tar', ['-czf', 'archive.tar.gz', 'LICENSE', 'temporal'], { cwd: from })
    const archive = readFileSync(join(from, 'archive.tar.gz'))
    const server = createHttpServer((_request, response) => void response.end(archive)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/archive.tar.gz`
    const [lines, into]: [string[], string] = [[], folder()]
    const at = { env: bareEnv, onProgress: (line: string) => void lines.push(line) }
    await downloadTemporal(into, at, { url, sha256: pin(archive) })
    server.close()
    return { lines, into }
  }
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

  it('with the pinned checksum is unpacked, and nothing else is left', async () => {
    const { lines, into } = await downloaded(sha256)
    expect(lines).toHaveLength(1)
    expect(readdirSync(into)).toEqual([DOWNLOADED])
    expect(readFileSync(join(into, DOWNLOADED), 'utf8')).toBe(PROGRAM)
    accessSync(join(into, DOWNLOADED), constants.X_OK)
  })

  it('with another checksum is refused, both are named, and nothing is left', async () => {
    const pinned = 'a'.repeat(64)
    const { lines, into } = await downloaded(() => pinned)
    expect(lines[1]).toMatch(new RegExp(`the archive has the SHA-256 [0-9a-f]{64}, but ${pinned} is pinned`))
    expect(readdirSync(into)).toEqual([])
  })
})

it.each([
  ['linux', 'x64', 'linux_amd64'],
  ['linux', 'arm64', 'linux_arm64'],
  ['darwin', 'x64', 'darwin_amd64'],
  ['darwin', 'arm64', 'darwin_arm64'],
])('the CLI for %s on %s is pinned by version and checksum', (platform, arch, name) => {
  expect(pinnedArchive(platform, arch)).toEqual({
    url: `https://github.com/temporalio/cli/releases/download/v1.9.1/temporal_cli_1.9.1_${name}.tar.gz`,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(pinnedArchive('sunos', arch)).toBeNull()
})
