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
  /** name to version */
  readonly versions: Readonly<Record<string, string>>
  close(): void
}

export async function startRegistry(folder: string): Promise<Registry> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.tgz'))
  const manifests = await Promise.all(files.map((file) => manifestIn(join(folder, file))))
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const at = files.includes(path) ? -1 : manifests.findIndex(({ name }) => name === path)
    if (files.includes(path)) response.end(readFileSync(join(folder, path)))
    else if (at >= 0) response.end(JSON.stringify(packument(manifests[at]!, join(folder, files[at]!), url)))
    else response.writeHead(404).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    url,
    versions: Object.fromEntries(manifests.map(({ name, version }) => [name, version])),
    close: () => void server.close(),
  }
}

interface Manifest {
  readonly name: string
  readonly version: string
}

async function manifestIn(tarball: string): Promise<Manifest> {
  const { stdout } = await run('tar', ['-xzOf', tarball, 'package/package.json'])
  return JSON.parse(stdout)
}

/** What a registry answers for a package: here of one version. */
function packument(manifest: Manifest, tarball: string, url: string) {
  const { name, version } = manifest
  const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`
  const dist = { tarball: new URL(tarball.split('/').at(-1) ?? '', url).href, integrity }
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }
}
