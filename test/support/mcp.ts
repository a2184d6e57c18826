import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { act, issueToken } from '@treeos/client'
import type { BeingName, JsonObject } from '@treeos/core'
import { type Edge, type EdgeOptions, serveHttp } from '@treeos/mcp'
import { findLease } from '@treeos/store'
import { expect } from 'vitest'
import { groundOf, setRole } from './life.ts'
import { type ModelServer, startModelServer } from './model-server.ts'
import { stage } from './puppet.ts'
import { startWorld, type World } from './world.ts'

/** An MCP server of the world on a free port, and the errors that no client was told. */
export async function openEdge(
  world: World,
  options: Partial<EdgeOptions> = {},
): Promise<Edge & { readonly errors: { where: string; error: unknown }[] }> {
  const errors: { where: string; error: unknown }[] = []
  const onError = (where: string, error: unknown) => void errors.push({ where, error })
  const edge = await serveHttp(world, { port: 0, sweepSeconds: 0.2, onError, ...options })
  return { ...edge, errors }
}

/** A client of an outside program. */
export interface Outside {
  readonly client: Client
  /** the id of its session; undefined in the protocol of 2026, which has none */
  readonly session: string | undefined
  call(name: string, args?: unknown): Promise<Called>
  read(uri: string): Promise<unknown>
  /** ends the session and closes the connection */
  leave(): Promise<void>
}

/** A tool's answer; for a refusal its code and message. */
export interface Called {
  readonly isError: boolean
  readonly value: Record<string, unknown>
}

export async function connectTo(
  url: string,
  secret: string | null,
  { era = '2025' }: { era?: '2025' | '2026' } = {},
): Promise<Outside> {
  const headers = secret === null ? {} : { authorization: `Bearer ${secret}` }
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
  const client = new Client(
    { name: 'outside', version: '1' },
    era === '2026' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
  )
  await client.connect(transport)
  return {
    client,
    session: transport.sessionId,
    ...speaking(client),
    async leave() {
      await transport.terminateSession()
      await client.close()
    },
  }
}

export const speaking = (client: Client): Pick<Outside, 'call' | 'read'> => ({
  async call(name, args = {}) {
    const answer = await client.callTool({ name, arguments: args as Record<string, unknown> })
    const [first] = answer.content
    const value = answer.structuredContent as Record<string, unknown>
    // A model reads the text and a program the structure, so they must be equal.
    if (first?.type !== 'text' || first.text !== JSON.stringify(value))
      throw new Error(`text and structure differ: ${JSON.stringify(answer)}`)
    return { isError: answer.isError === true, value }
  },
  async read(uri) {
    const { contents } = await client.readResource({ uri })
    const [first] = contents
    if (first === undefined || !('text' in first)) throw new Error(`${uri} holds no text`)
    return JSON.parse(first.text) as unknown
  },
})

type Era = '2025' | '2026'

/**
 * A world with a server at its edge: the people @ada, who may reach for everything, and @bob, who may do
 * little; two beings with a model, @kid of @ada and @oracle, who may do as little as @bob.
 */
export class EdgeWorld {
  readonly model: ModelServer
  readonly world: World
  readonly edge: Awaited<ReturnType<typeof openEdge>>
  readonly #outsiders: Outside[] = []

  private constructor(model: ModelServer, world: World, edge: Awaited<ReturnType<typeof openEdge>>) {
    this.model = model
    this.world = world
    this.edge = edge
  }

  static async start(options: Partial<EdgeOptions> = {}): Promise<EdgeWorld> {
    const model = await startModelServer()
    const world = await startWorld({ extensions: [stage], modelUrl: model.url })
    await setRole(world, {
      name: 'narrow',
      canSee: ['@operator', '/', '/library'],
      canDo: ['move'],
      canSummon: ['@operator'],
      canBe: [],
      prompt: 'You may do little.',
    })
    await world.birth({ name: 'ada', cognition: 'human', role: 'stage:free' })
    await world.birth({ name: 'bob', cognition: 'human', role: 'narrow' })
    const kid: JsonObject = { name: 'kid', cognition: 'llm', role: 'stage:free' }
    await act({ ...world, person: 'ada' }, 'ada', { verb: 'be', operation: 'birth', args: kid })
    await world.birth({ name: 'oracle', cognition: 'llm', role: 'narrow' })
    return new EdgeWorld(model, world, await openEdge(world, options))
  }

  tokenFor(being: BeingName, as: BeingName = 'operator') {
    return issueToken({ ...this.world, person: as }, { being, as })
  }

  /** A client with this secret, closed after the test. */
  async outside(secret: string, options: { era?: Era } = {}): Promise<Outside> {
    const made = await connectTo(this.edge.url, secret, options)
    this.#outsiders.push(made)
    return made
  }

  async asBeing(being: BeingName, as: BeingName = 'operator'): Promise<Outside> {
    return this.outside((await this.tokenFor(being, as)).secret)
  }

  async isDriven(being: BeingName): Promise<boolean> {
    return (await findLease(this.world.db, being)) !== null
  }

  /** A raw request that no SDK would make. */
  raw(headers: Record<string, string>, body: unknown = INITIALIZE, path = '/mcp'): Promise<Response> {
    return fetch(new URL(path, this.edge.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  }

  /** Expects a refusal with this code, and that no fact is written. @returns its message */
  async expectNothing(who: Outside, name: string, args: unknown, code: string): Promise<string> {
    const before = await groundOf(this.world)
    const { isError, value } = await who.call(name, args)
    expect(value).toMatchObject({ code, message: expect.any(String) })
    expect(isError).toBe(true)
    expect(Object.keys(value).filter((key) => !['code', 'message', 'detail'].includes(key))).toEqual([])
    expect(JSON.stringify(value)).not.toMatch(LEAK)
    expect(await groundOf(this.world)).toEqual(before)
    return value.message as string
  }

  /** Some tests end their sessions themselves. */
  async dismiss(): Promise<void> {
    await Promise.all(this.#outsiders.splice(0).map((outside) => outside.leave().catch(() => undefined)))
  }

  async close(): Promise<void> {
    await this.edge.close()
    await this.world.close()
    await this.model.close()
  }
}

/** Stack frames, statements and tables. */
export const LEAK = /\bat .*\.ts|select |insert |treeos\.|inbox_|relation|node_modules/

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

export const refusalIn = async (response: Response): Promise<{ code: string; message: string }> =>
  ((await response.json()) as { error: { code: string; message: string } }).error
