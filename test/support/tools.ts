import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { freePort } from '@treeos/local'
import {
  ACCEPT,
  acceptance,
  digestsOf,
  parseServer,
  readsOf,
  type ServerEntries,
  secretsFor,
  toolExtensions,
} from '@treeos/tools'
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
    const given = secretsFor(entry).map((secret) => [secret, secrets[secret] ?? ''])
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
  for (const [server, { tools, reads }] of Object.entries(entries))
    await doAs(world, ACCEPT, '/', { server, tools: digestsOf(tools), reads: readsOf({ tools, reads }) })
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

/**
 * A public server behind an authorization server of OAuth: it takes tokens that were given for the
 * credentials of one client. Both are on 127.0.0.1.
 */
export async function startGuarded(client: { readonly id: string; readonly secret: string }) {
  const inner = await startHttp()
  const tokens = new Set<string>()
  const asked: string[] = []
  const addressOf = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const base = addressOf()
    const json = (status: number, value: object, headers = {}) =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(value))
    const path = request.url ?? ''
    if (path.startsWith('/.well-known/oauth-protected-resource'))
      return json(200, { resource: `${base}/mcp`, authorization_servers: [base] })
    if (path.startsWith('/.well-known/'))
      return json(200, {
        issuer: base,
        token_endpoint: `${base}/token`,
        authorization_endpoint: `${base}/authorize`,
        response_types_supported: ['code'],
        grant_types_supported: ['client_credentials'],
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
      })
    if (path === '/token') {
      const told = Buffer.from(
        (request.headers.authorization ?? '').replace('Basic ', ''),
        'base64',
      ).toString()
      asked.push(told)
      if (told !== `${client.id}:${client.secret}`) return json(401, { error: 'invalid_client' })
      const token = randomUUID()
      tokens.add(token)
      return json(200, { access_token: token, token_type: 'Bearer', expires_in: 60 })
    }
    const token = (request.headers.authorization ?? '').replace('Bearer ', '')
    if (!tokens.has(token))
      return json(
        401,
        {},
        { 'www-authenticate': `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource"` },
      )
    const passed = await fetch(inner.url, {
      method: request.method ?? 'GET',
      headers: Object.fromEntries(
        Object.entries(request.headers).filter(
          ([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name),
        ) as [string, string][],
      ),
      ...(request.method === 'POST'
        ? { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' }
        : {}),
    } as RequestInit)
    response.writeHead(passed.status, Object.fromEntries(passed.headers))
    if (passed.body !== null) for await (const chunk of passed.body) response.write(chunk)
    response.end()
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy()) // the server behind it was closed
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  const issuer = addressOf()
  return {
    issuer,
    url: `${issuer}/mcp`,
    /** the credentials that it was given, in order */
    asked,
    close() {
      inner.close()
      server.closeAllConnections()
      server.close()
    },
  }
}
