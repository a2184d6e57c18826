import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bareEnv, temporaryFolders } from '../../test/instances.ts'
import { buildTemporal, builtTemporal } from './build.ts'
import { DOWNLOADED } from './download.ts'
import { findTemporal, formerTemporal, onPath, ownTemporal, readyTemporal } from './find.ts'

const folder = temporaryFolders()

function script(dir: string, name: string, body: string): string {
  const file = join(dir, name)
  writeFileSync(file, `#!/bin/sh\n${body}\n`)
  chmodSync(file, 0o755)
  return file
}

/** A go which counts its calls, takes its time, and writes the file that `-o` names. */
function fakeGo(dir: string): string {
  return script(
    dir,
    'go',
    `echo call >>"${dir}/calls"; echo some/package >&2; sleep 0.3
while [ "$1" != -o ]; do shift; done; echo server >"$2"`,
  )
}

function options(path: string) {
  const lines: string[] = []
  const onProgress = (line: string) => void lines.push(line)
  return { env: bareEnv, path: `${path}:/usr/bin:/bin`, cacheDir: join(folder(), 'cache'), onProgress, lines }
}

describe('a server is looked for', () => {
  it('on PATH, where ours was not built yet: it starts at once', async () => {
    const bin = folder()
    fakeGo(bin)
    const file = script(bin, 'temporal', 'true')
    expect(await findTemporal(options(bin))).toEqual({ kind: 'cli', path: file })
    expect(existsSync(join(bin, 'calls'))).toBe(false)
  })

  it('then among the downloads of the pinned version', async () => {
    const bin = folder()
    fakeGo(bin)
    const where = options(bin)
    const downloads = join(where.cacheDir, 'temporal-cli')
    mkdirSync(downloads, { recursive: true })
    script(downloads, 'temporal-sdk-typescript-1.0.0', 'false')
    script(downloads, `${DOWNLOADED}.7.downloading`, 'false')
    expect(readyTemporal(where.cacheDir, where.path)).toBeNull()
    const path = script(downloads, DOWNLOADED, 'true')
    expect(await findTemporal(where)).toEqual({ kind: 'download', path })
  })

  it('but ours first where it was built, since it asks for a credential; and whatever is there for who wants ours', async () => {
    const bin = folder()
    fakeGo(bin)
    const where = options(bin)
    script(bin, 'temporal', 'true')
    const built = await ownTemporal(where)
    expect(built.kind).toBe('built')
    expect(await findTemporal(where)).toEqual(built)
    expect(readFileSync(join(bin, 'calls'), 'utf8')).toBe('call\n')
  })

  it('and without anything the error says how to get one', async () => {
    const error = await findTemporal({ ...options('/nowhere'), path: '/nowhere' }).catch(String)
    expect(error).toContain('no `temporal` on PATH')
    expect(error).toContain('no `go` on PATH')
    expect(error).toContain('brew install temporal')
    expect(error).toContain('TEMPORAL_ADDRESS')
  })

  it('a folder or a file without its x bit is not one', () => {
    const bin = folder()
    mkdirSync(join(bin, 'temporal'))
    const other = folder()
    writeFileSync(join(other, 'temporal'), '')
    expect(onPath(`${bin}:${other}:relative:`)).toBeNull()
  })

  it('where its database was made, another is not put in its place', async () => {
    const bin = folder()
    fakeGo(bin)
    const where = options(bin)
    const dataDir = folder()
    mkdirSync(join(dataDir, 'temporal'))
    writeFileSync(join(dataDir, 'temporal', 'server.db'), '')
    const built = await buildTemporal(where)
    script(bin, 'temporal', 'true')
    expect(await formerTemporal(dataDir, where)).toEqual(built)
    const gone = { ...where, cacheDir: folder(), path: '/nowhere' }
    expect(await formerTemporal(dataDir, gone)).toBeNull()
    expect(where.lines.at(-1)).toContain('starting a new database')
  })
})

describe('the build', () => {
  it('happens once for many starts, and says who is at it', async () => {
    const bin = folder()
    fakeGo(bin)
    const where = options(bin)
    const built = await Promise.all([buildTemporal(where), buildTemporal(where), buildTemporal(where)])
    expect(new Set(built.map(({ path }) => path)).size).toBe(1)
    expect(readFileSync(join(bin, 'calls'), 'utf8')).toBe('call\n')
    expect(readdirSync(where.cacheDir)).toHaveLength(1) // no lock and no draft is left
    expect(where.lines.join('\n')).toContain(`process ${process.pid} is building`)
  })

  it('goes on after one that was killed', async () => {
    const bin = folder()
    fakeGo(bin)
    const where = options(bin)
    const { path } = await buildTemporal(where)
    const cacheDir = folder()
    writeFileSync(
      join(cacheDir, `${path.split('/').at(-1)}.lock`),
      JSON.stringify({ pid: 1, startedAt: 'before' }),
    )
    writeFileSync(join(cacheDir, `${path.split('/').at(-1)}.new`), 'half a server')
    expect((await buildTemporal({ ...where, cacheDir })).kind).toBe('built')
    expect(readdirSync(cacheDir)).toHaveLength(1)
  })

  it('that fails shows the end of what go said, and leaves nothing that looks built', async () => {
    const bin = folder()
    script(bin, 'go', 'echo "main.go:1: no such thing" >&2; exit 2')
    const where = options(bin)
    await expect(buildTemporal(where)).rejects.toThrow(/ended with 2[\s\S]*main\.go:1: no such thing/)
    expect(readdirSync(where.cacheDir)).toEqual([])
    expect(builtTemporal(where.cacheDir)).toBeNull()
  })
})
