import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@treeos/local'
import { ACCEPT, acceptance, digestsOf, parseServer, type ServerEntries, toolExtensions } from '@treeos/tools'
import { listTools, ToolServers } from '@treeos/tools/servers'
import type { Extension } from '@treeos/world'
import { doAs, until } from './life.ts'
import type { World } from './world.ts'

/** What the server of letters does, beside answering. */
export interface Mood {
  /** what it does once a letter is posted, or before */
  readonly post?: 'answer' | 'die-before' | 'die' | 'hang' | 'block'
  /** whether it says what was posted */
  readonly ask?: 'answer' | 'nothing'
  /** another description of its tool `post` */
  readonly description?: string
}

const resolve = createRequire(import.meta.url).resolve
/** The program of a public server, as it is installed. */
export const programOf = (name: 'server-everything' | 'server-filesystem'): string =>
  resolve(`@modelcontextprotocol/${name}/package.json`).replace('package.json', 'dist/index.js')

/** The command of our own small server, and what it did. */
export function letters() {
  const folder = mkdtempSync(join(tmpdir(), 'treeos-letters-'))
  return {
    command: [process.execPath, join(import.meta.dirname, 'tool-server.ts'), folder],
    folder,
    feel: (mood: Mood) => writeFileSync(join(folder, 'mood.json'), JSON.stringify(mood)),
    posted(text: string): { key: string; text: string }[] {
      const file = join(folder, 'ledger')
      const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
      return lines.map((line) => JSON.parse(line)).filter((letter) => letter.text === text)
    },
    wasCancelled: () => existsSync(join(folder, 'cancelled')),
  }
}

/** Servers with all of their tools, as `treeos tools add` writes them into the file. */
export async function withTools(
  given: Readonly<Record<string, object>>,
  secrets: Readonly<Record<string, string>> = {},
): Promise<ServerEntries> {
  const entries = Object.entries(given).map(async ([name, one]) => {
    const entry = parseServer(name, one)
    const given = Object.keys(entry.secrets).map((secret) => [secret, secrets[secret] ?? ''])
    const { tools } = await listTools(name, entry, Object.fromEntries(given))
    return [name, { ...entry, tools }] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** The extensions of a worker that has these servers, and the servers. */
export function serving(entries: ServerEntries): { servers: ToolServers; extensions: Extension[] } {
  const servers = new ToolServers(entries)
  return { servers, extensions: [acceptance, ...toolExtensions(entries, servers.call)] }
}

/** The operator accepts all of their tools, as the file has them. */
export async function acceptAll(world: World, entries: ServerEntries): Promise<void> {
  for (const [server, { tools }] of Object.entries(entries))
    await doAs(world, ACCEPT, '/', { server, tools: digestsOf(tools) })
}

/** The public server over streamable HTTP, as a process of its own. */
export async function startHttp(): Promise<{ url: string; close(): void }> {
  const port = await freePort('a tool server')
  const child = spawn(process.execPath, [programOf('server-everything'), 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}/mcp`
  await until(async () => (await fetch(url).catch(() => null)) !== null, { what: url })
  return { url, close: () => void child.kill() }
}
