/** Servers that answer what the protocol does not foresee, or forget the session, over HTTP on loopback. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json, JsonObject } from '@treeos/core'
import { afterEach, describe, expect, it } from 'vitest'
import { digestOfTool } from './definition.ts'
import { parseServer } from './file.ts'
import { ToolServer } from './server.ts'
import { listTools } from './servers.ts'

interface OddServer {
  /** by the method, what it answers */
  readonly results: Readonly<Record<string, Json>>
  /** the status with which it answers a session that it does not know, and the body */
  readonly unknownSession?: readonly [status: number, body: string]
}

const running: (() => void)[] = []
afterEach(() => {
  for (const end of running.splice(0)) end()
})

/** A server with sessions, in the protocol's older form. */
async function startOdd({ results, unknownSession }: OddServer) {
  const called: Json[] = []
  const sessions = new Set<string>()
  let made = 0
  const server: Server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method, params } = await readRequest(request)
    const session = String(request.headers['mcp-session-id'] ?? '')
    if (method === 'server/discover') return void response.writeHead(404).end()
    if (method === 'initialize') {
      made += 1
      sessions.add(`s${made}`)
      response.setHeader('mcp-session-id', `s${made}`)
      return send({ id: id ?? null, result: INITIALIZED })
    }
    if (!sessions.has(session)) {
      const [status, body] = unknownSession ?? [404, '']
      return void response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    }
    if (id === undefined) return void response.writeHead(202).end()
    if (method === 'tools/call') called.push(params ?? null)
    return send({ id, result: results[String(method)] ?? {} })

    function send(message: JsonObject): void {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', ...message }))
    }
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  running.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const entry = parseServer('odd', {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
  })
  return { entry, called, forget: () => sessions.clear(), sessionsMade: () => made }
}

const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'odd', version: '1' },
}

async function readRequest(request: IncomingMessage): Promise<Record<string, Json | undefined>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

const echo = { name: 'echo', inputSchema: { type: 'object' } }
const declared = { description: '', schema: { type: 'object' }, hints: [] } as const
const callOf = (tool: string) => ({
  tool,
  digest: digestOfTool(tool, declared),
  args: {},
  key: 'k',
  secrets: {},
  signal: AbortSignal.timeout(20_000),
  keep: async () => ({ why: 'this test keeps nothing' }),
})

describe('a tool server', () => {
  it('with odd tools is listed without them', async () => {
    const tools = [
      echo,
      { ...echo, name: 'prototype' },
      { ...echo, name: 'silent', description: null, annotations: null },
      { name: 'bare' },
      null,
      {
        ...echo,
        name: 'old',
        inputSchema: { type: 'object', properties: { n: { exclusiveMinimum: true } } },
      },
    ]
    const { entry } = await startOdd({ results: { 'tools/list': { tools, nextCursor: null } } })
    const { tools: read, leftOut } = await listTools('odd', entry, {})
    expect(Object.keys(read)).toEqual(['echo', 'silent'])
    expect(leftOut).toEqual({
      prototype: 'its name is refused everywhere',
      bare: 'it has no schema of its arguments',
      'tool 5': 'it is no object',
      old: expect.stringContaining('exclusiveMinimum'),
    })
  })

  it.each<[string, Json, JsonObject]>([
    [
      'a part that nobody knows',
      { content: [{ type: 'chart' }, { type: 'text', text: 'x' }] },
      { text: 'x' },
    ],
    [
      'a text that is null',
      { content: [{ type: 'text', text: null }], structuredContent: { a: 1 } },
      { structured: { a: 1 } },
    ],
    ['a list as structure', { content: [], structuredContent: [1] }, { structured: [1] }],
    ['content that is null', { content: null, isError: true }, { isError: true }],
    [
      'annotations that are null',
      { content: [{ type: 'text', text: 'x', annotations: null }] },
      { text: 'x' },
    ],
  ])('that answers %s is heard', async (_what, answer, heard) => {
    const { entry } = await startOdd({ results: { 'tools/list': { tools: [echo] }, 'tools/call': answer } })
    const server = new ToolServer('odd', entry)
    try {
      expect(await server.call(callOf('echo'))).toMatchObject(heard)
    } finally {
      await server.close()
    }
  })

  it.each<[string, readonly [number, string]]>([
    ['404', [404, '']],
    [
      '404 with a message',
      [404, '{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}'],
    ],
    [
      '400 for a session',
      [
        400,
        '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}',
      ],
    ],
  ])('that forgot the session and answers %s is called once, in a new one', async (_what, unknownSession) => {
    const odd = await startOdd({
      results: { 'tools/list': { tools: [echo] }, 'tools/call': { content: [] } },
      unknownSession,
    })
    const server = new ToolServer('odd', odd.entry)
    try {
      await server.call(callOf('echo'))
      odd.forget() // with the list that is known, and then without
      await server.call(callOf('echo'))
      expect(odd.called).toHaveLength(2)
      expect(odd.sessionsMade()).toBe(2)
    } finally {
      await server.close()
    }
  })

  it('that forgets the session before it lists its tools is asked in a new one', async () => {
    const odd = await startOdd({
      results: { 'tools/list': { tools: [echo] }, 'tools/call': { content: [] } },
    })
    const server = new ToolServer('odd', odd.entry)
    try {
      await expect(server.call(callOf('other'))).rejects.toMatchObject({ code: 'FORBIDDEN' })
      await server.list({})
      odd.forget()
      await server.call(callOf('echo'))
      expect(odd.called).toHaveLength(1)
    } finally {
      await server.close()
    }
  })

  it('that refuses a call for another reason is not called again', async () => {
    const odd = await startOdd({ results: { 'tools/list': { tools: [echo] } }, unknownSession: [400, 'bad'] })
    const server = new ToolServer('odd', odd.entry)
    try {
      await server.call(callOf('echo'))
      odd.forget()
      await expect(server.call(callOf('echo'))).rejects.toThrow('bad')
      expect(odd.called).toHaveLength(1)
    } finally {
      await server.close()
    }
  })
})
