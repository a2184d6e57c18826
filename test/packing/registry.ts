import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A registry of npm on loopback that knows the packed packages of one folder and nothing else. */
export interface Registry {
  readonly url: string
  /** name to its latest version: the one of the checkout, where another was packed beside it */
  readonly versions: Readonly<Record<string, string>>
  close(): void
}

export async function startRegistry(folder: string): Promise<Registry> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.tgz'))
  const packed: Packed[] = await Promise.all(
    files.sort().map(async (file) => ({ file, manifest: await manifestIn(join(folder, file)) })),
  )
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const found = packed.filter(({ manifest }) => manifest.name === path)
    if (packed.some(({ file }) => file === path)) response.end(readFileSync(join(folder, path)))
    else if (found.length > 0) response.end(JSON.stringify(packument(found, folder, url)))
    else response.writeHead(404).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    url,
    versions: Object.fromEntries(
      packed.toReversed().map(({ manifest: { name, version } }) => [name, version]),
    ),
    close: () => void server.close(),
  }
}

interface Manifest {
  readonly name: string
  readonly version: string
}

interface Packed {
  readonly file: string
  readonly manifest: Manifest
}

async function manifestIn(tarball: string): Promise<Manifest> {
  const { stdout } = await run('tar', ['-xzOf', tarball, 'package/package.json'])
  return JSON.parse(stdout)
}

/** What a registry answers for a package. The first file is the latest version. */
function packument(packed: readonly Packed[], folder: string, url: string) {
  const versions = packed.map(({ file, manifest }) => {
    const integrity = `sha512-${createHash('sha512')
      .update(readFileSync(join(folder, file)))
      .digest('base64')}`
    return [manifest.version, { ...manifest, dist: { tarball: new URL(file, url).href, integrity } }] as const
  })
  const [[latest] = []] = versions
  return { name: packed[0]?.manifest.name, 'dist-tags': { latest }, versions: Object.fromEntries(versions) }
}
