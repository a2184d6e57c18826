import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { connectTo, speaking } from '../support/mcp.ts'
import { useModelServer } from '../support/use-world.ts'
import { isAlive, MAIN, until, useInstance } from './instance.ts'

const model = useModelServer()
const home = useInstance({ modelServer: model })
beforeAll(async () => {
  await home.json(['birth', 'ann', '--cognition', 'llm', '--role', 'resident'])
})

interface Issued {
  readonly id: string
  readonly secret: string
}
const identity = async (stance: string) => (await home.json<{ identity: object }>(['see', stance])).identity

describe('treeos token', () => {
  it('create shows a secret once; list shows everything else; revoke ends it for good', async () => {
    const issued = await home.json<Issued>(['token', 'create', '@ann', '--days', '2'])
    expect(issued).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      being: '@ann',
      issuedBy: '@operator',
      issuedAt: expect.any(String),
      expiresAt: expect.any(String),
      revokedAt: null,
      secret: expect.stringMatching(/^treeos_[A-Za-z0-9_-]{43}$/),
    })
    const { secret, ...known } = issued
    expect(await home.json(['token', 'list'])).toContainEqual(known)
    expect((await home.run(['token', 'list'])).stdout).not.toContain(secret)
    expect(await home.json(['token', 'revoke', issued.id])).toEqual({
      ...known,
      revokedAt: expect.any(String),
    })
    expect(await home.refusal(['token', 'revoke', issued.id])).toMatchObject({ code: 'RESOURCE_CONFLICT' })
    expect((await home.run(['token', 'list'])).stdout).toMatch(/@ann +by @operator +revoked/)
    expect((await home.run(['token', 'create', '~'])).stdout).toMatch(
      /acts as @operator .*\ntreeos_\S{43}\n$/,
    )
  })

  it.each([
    { args: ['create', '@nobody'], status: 1, code: 'BEING_NOT_FOUND', says: '@nobody' },
    { args: ['create', '/ann'], status: 2, code: 'ADDRESS_PARSE_ERROR', says: '/ann' },
    { args: ['create', '@ann', '--days', '0'], status: 2, code: 'INVALID_INPUT', says: '1 to 365' },
    { args: ['create', '@ann', '--days', '366'], status: 2, code: 'INVALID_INPUT', says: '1 to 365' },
    { args: ['create', '@operator', '--as', '@ann'], status: 1, code: 'FORBIDDEN', says: '@ann' },
    { args: ['revoke', 'x'], status: 1, code: 'INVALID_INPUT', says: '"x"' },
    { args: ['create'], status: 2, code: 'INVALID_INPUT', says: 'stance' },
  ])('$args is refused: $code', async ({ args, status, code, says }) => {
    expect(await home.refusal(['token', ...args])).toEqual({
      status,
      code,
      message: expect.stringContaining(says),
    })
  })
})

const clients: Client[] = []
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
})

/** A client that starts the command itself, as programs with a list of MCP servers do. */
async function spawnClient(args: readonly string[], mode: 'legacy' | 'auto' = 'legacy') {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', ...args],
    env: home.environment,
    stderr: 'pipe',
  })
  let told = ''
  transport.stderr?.on('data', (text) => (told += text))
  const client = new Client({ name: 'outside', version: '1' }, { versionNegotiation: { mode } })
  const faults: Error[] = []
  client.onerror = (error) => faults.push(error)
  clients.push(client)
  await client.connect(transport)
  return { client, pid: transport.pid ?? 0, faults, told: () => told, ...speaking(client) }
}

describe('treeos mcp on standard input and output', () => {
  it('as @operator unless said: the four verbs, stored overlays, and nothing but the protocol on stdout', async () => {
    const me = await spawnClient([])
    const ofPersons = ['list_overlays', 'list_approvals']
    const tools = ['see', 'do', 'summon', 'be', ...ofPersons]
    expect((await me.client.listTools()).tools.map(({ name }) => name)).toEqual(tools)
    expect(await me.read('treeos://me')).toMatchObject({ being: '@operator' })
    expect(await me.call('see', { address: '/' })).toMatchObject({ isError: false })
    const said = await me.call('summon', { target: '@echo', content: 'hello', waitSeconds: 30 })
    expect(said).toMatchObject({ value: { reply: { content: 'hello' } } })
    const space = { operation: 'create-space', target: '/', args: { path: '/shed' } }
    expect(await me.call('do', space)).toMatchObject({ value: { result: { path: '/shed' } } })
    const args = { name: 'tim', cognition: 'scripted', script: 'echo', role: 'resident' }
    expect(await me.call('be', { operation: 'birth', args })).toMatchObject({ isError: false })
    await me.client.close()
    expect(me.faults).toEqual([])
    expect(me.told()).toBe('')
    await until('its end', () => !isAlive(me.pid), 10)
  })

  it('as another being: driven until the client goes, and no model is called meanwhile', async () => {
    const before = model.requests.length
    const ann = await spawnClient(['--as', '@ann'])
    await until('the lease', async () => 'inhabitedBy' in (await identity('@ann')), 10)
    const { correlation } = await home.json<{ correlation: string }>(['summon', '@ann', 'Who are you?'])
    expect(await ann.read('treeos://inbox')).toMatchObject({
      items: [{ correlation, content: 'Who are you?' }],
    })
    const answer = await ann.call('summon', { inReplyTo: correlation, content: 'Driven.' })
    expect(answer).toMatchObject({ isError: false, value: { correlation: expect.any(String) } })
    expect(model.requests.length).toBe(before)
    await ann.client.close()
    await until('the release', async () => !('inhabitedBy' in (await identity('@ann'))), 10)
    model.script([{ tool: { name: 'summon', args: { content: 'Myself.' } } }])
    const { reply } = await home.json<{ reply: unknown }>(['summon', '@ann', 'And now?', '--wait', '30'])
    expect(reply).toEqual({ from: '@ann', content: 'Myself.' })
  })

  it('a client of 2026 first asks, in a process of its own, what is spoken: that one takes no lease', async () => {
    const ann = await spawnClient(['--as', '@ann'], 'auto')
    expect(ann.client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    expect(await identity('@ann')).not.toHaveProperty('inhabitedBy')
    expect(await ann.read('treeos://me')).toMatchObject({ being: '@ann' })
    expect(await identity('@ann')).toMatchObject({ inhabitedBy: '@operator' })
    await ann.client.close()
    await until('the release', async () => !('inhabitedBy' in (await identity('@ann'))), 10)
  })

  it('a signal gives the being back, too', async () => {
    const ann = await spawnClient(['--as', '@ann'])
    await ann.call('see', { address: '/' })
    expect(await identity('@ann')).toMatchObject({ inhabitedBy: '@operator' })
    process.kill(ann.pid, 'SIGTERM')
    await until('its end', () => !isAlive(ann.pid), 10)
    expect(await identity('@ann')).not.toHaveProperty('inhabitedBy')
    await ann.client.close()
  })

  it('a message larger than 1 MB ends the session', async () => {
    const child = home.start(['mcp', '--as', '@ann'])
    const exited = once(child, 'exit')
    child.stdin?.on('error', () => undefined)
    child.stdin?.write(JSON.stringify({ jsonrpc: '2.0', method: 'x', params: { x: 'x'.repeat(2 ** 20) } }))
    expect(await exited).toEqual([0, null])
  })

  it.each([
    { args: ['--as', '@nobody'], status: 1, says: 'BEING_NOT_FOUND' },
    { args: ['--as', '/ann'], status: 2, says: 'ADDRESS_PARSE_ERROR' },
    { args: ['--as', '@ann', '--http'], status: 2, says: 'do not go together' },
    { args: ['--listen', '0.0.0.0'], status: 2, says: '--http' },
    { args: ['--http', '70000'], status: 2, says: '0 to 65535' },
  ])('$args ends with $status before anything is served', async ({ args, status, says }) => {
    const ran = await home.run(['mcp', ...args])
    expect(ran).toMatchObject({ status, stdout: '', stderr: expect.stringContaining(says) })
  })
})

describe('treeos mcp --http', () => {
  it('serves holders of a token, prints its address, and releases every being on SIGTERM', async () => {
    const { secret } = await home.json<Issued>(['token', 'create', '@ann'])
    const child = spawn(process.execPath, [MAIN, 'mcp', '--http', '0', '--json'], { env: home.environment })
    const exited = once(child, 'exit')
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    await until('the ready line', () => stdout.includes('\n'), 20)
    const { ready, url, pid } = JSON.parse(stdout) as { ready: boolean; url: string; pid: number }
    expect({ ready, pid }).toEqual({ ready: true, pid: child.pid })
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/)
    const ann = await connectTo(url, secret)
    expect(await ann.call('see', { address: '/' })).toMatchObject({ isError: false })
    expect(await identity('@ann')).toMatchObject({ inhabitedBy: '@operator' })
    expect((await fetch(url, { method: 'POST' })).status).toBe(401)
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    expect(await identity('@ann')).not.toHaveProperty('inhabitedBy')
    await ann.client.close()
  })
})

it('every moment replays identically', async () => {
  expect(await home.json(['replay', '--all'])).toMatchObject({ identical: true, mismatches: [] })
  expect(await home.json(['verify'])).toMatchObject({ ok: true })
})
