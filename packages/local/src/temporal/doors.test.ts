import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync } from 'node:fs'
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { bareEnv, temporaryFolders } from '../../test/instances.ts'
import type { Plan, Raid } from '../../test/intruder.ts'
import { recordService, runningService, stopInstance } from '../instance/instance.ts'
import { configFileOf, keyFileOf } from './access.ts'
import { buildTemporal } from './build.ts'
import { findExecutable } from './executables.ts'
import { defaultCacheDir, ensureTemporal, type Temporal } from './temporal.ts'

const INTRUDER = join(import.meta.dirname, '../../test/intruder.ts')
const NOBODY = 65_534
const VICTIM = 'being/home/operator'
const isRoot = process.getuid?.() === 0
const folder = temporaryFolders()

/** A workflow that runs, for want of a worker, as long as the test. */
async function withVictim<T>(
  { options }: Pick<Temporal, 'options'>,
  use: (at: { client: Client; namespaceId: string }) => Promise<T>,
): Promise<T> {
  const connection = await Connection.connect(options)
  try {
    const client = new Client({ connection })
    const { namespaceInfo } = await client.workflowService.describeNamespace({ namespace: 'default' })
    await client.workflow
      .start('unknown', { taskQueue: 'nobody', workflowId: VICTIM, args: [] })
      .catch(() => undefined) // it runs already
    return await use({ client, namespaceId: namespaceInfo?.id ?? '' })
  } finally {
    await connection.close()
  }
}

async function signalsOf(client: Client): Promise<number> {
  const { events } = await client.workflow.getHandle(VICTIM).fetchHistory()
  return (events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes != null).length
}

/** Every TCP port on which a server listens, once its UI does, which starts last. */
async function portsOf({ pid, ui }: Pick<Temporal, 'pid' | 'ui'>): Promise<number[]> {
  const last = portOf(new URL(ui as string).host)
  return vi.waitUntil(() => {
    const ports = listeningPorts(pid as number)
    return ports.includes(last) && ports
  })
}

/** From proc(5). */
function listeningPorts(pid: number): number[] {
  const sockets = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`)
    } catch {
      return [] // closed meanwhile
    }
  })
  const lines = ['tcp', 'tcp6'].flatMap((name) =>
    readFileSync(`/proc/${pid}/net/${name}`, 'utf8').trim().split('\n').slice(1),
  )
  return lines.flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/)
    const listens = state === '0A' && sockets.includes(`socket:[${inode}]`)
    return listens ? [Number.parseInt(local.split(':')[1] as string, 16)] : []
  })
}

/** Sends another user of the machine; the same user without the key where tests do not run as root. */
async function raid(plan: Omit<Plan, 'uid' | 'workflowId'>): Promise<Raid> {
  const whole: Plan = { ...plan, uid: isRoot ? NOBODY : null, workflowId: VICTIM }
  const { stdout } = await promisify(execFile)(process.execPath, [INTRUDER, JSON.stringify(whole)])
  return JSON.parse(stdout) as Raid
}

describe.skipIf(process.platform !== 'linux')('the doors of our own server', () => {
  let dataDir: string
  let server: Temporal
  let ports: number[]
  beforeAll(async () => {
    dataDir = folder()
    server = await ensureTemporal({ dataDir, searchAttributes: [], env: bareEnv, path: onlyGo() })
    ports = await portsOf(server)
  }, 900_000)
  afterAll(() => stopInstance(dataDir))

  it('its key is 0600 in a folder of 0700, also where the folder was open before', async () => {
    expect(server.options.apiKey).toMatch(/^[\w-]{43}$/)
    for (const file of [keyFileOf(dataDir), configFileOf(dataDir)])
      expect(statSync(file).mode & 0o777, file).toBe(0o600)
    expect(statSync(join(dataDir, 'temporal')).mode & 0o777).toBe(0o700)
    chmodSync(join(dataDir, 'temporal'), 0o755)
    await server.stop()
    server = await ensureTemporal({ dataDir, searchAttributes: [], env: bareEnv, path: onlyGo() })
    ports = await portsOf(server)
    expect(statSync(join(dataDir, 'temporal')).mode & 0o777).toBe(0o700)
  })

  it('another user gets in by none of its ports, over TCP, HTTP or gRPC, without and with a wrong key', async () => {
    const files = isRoot
      ? [keyFileOf(dataDir), configFileOf(dataDir), join(dataDir, 'temporal', 'server.db')]
      : []
    await withVictim(server, async ({ client, namespaceId }) => {
      expect(ports.length).toBeGreaterThanOrEqual(5) // four services and the UI
      const { tries, gotIn } = await raid({ ports, files, namespaceId, key: null })
      expect(gotIn).toEqual([])
      expect(tries).toBe(ports.length * (2 + 2 * 7 + 3 * 2 * 3) + files.length)
      expect(await signalsOf(client)).toBe(0)
    })
  })

  it('with its key the same ways lead in: the key alone keeps others out', async () => {
    await withVictim(server, async ({ client, namespaceId }) => {
      const { gotIn } = await raid({ ports, files: [], namespaceId, key: server.options.apiKey as string })
      const [grpc, ui] = [portOf(server.address), portOf(new URL(server.ui as string).host)]
      expect([...gotIn].sort()).toEqual(
        [
          ...['admin', 'health', 'history', 'namespaces', 'signal', 'system-info'].map(
            (name) => `grpc ${name} ${grpc}`,
          ),
          ...['batch', 'read', 'signal'].map((name) => `http ${name} ${ui} as 127.0.0.1:${ui}`),
        ].sort(),
      )
      expect(await signalsOf(client)).toBeGreaterThanOrEqual(2)
    })
  })

  it('without the guard the same intruder gets in: by gRPC, past the frontend, and by HTTP from any site', async () => {
    const open = await startOpen()
    try {
      await withVictim({ options: { address: open.address } }, async ({ client, namespaceId }) => {
        const { gotIn } = await raid({ ports: await portsOf(open), files: [], namespaceId, key: null })
        const ui = portOf(new URL(open.ui).host)
        expect(gotIn).toEqual(
          expect.arrayContaining([
            `grpc signal ${portOf(open.address)}`,
            expect.stringMatching(/^grpc internal-signal/),
            `http read ${ui} as evil.example`,
            `http signal ${ui} as evil.example`,
            `http batch ${ui} as evil.example`,
          ]),
        )
        expect(await signalsOf(client)).toBeGreaterThan(0)
      })
    } finally {
      await open.stop()
    }
  })

  it.each([
    { what: 'by a rebound name', headers: { host: 'evil.example' } },
    { what: 'from a page of another site', headers: { origin: 'http://evil.example' } },
    {
      what: 'from a page on another port',
      headers: { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' },
    },
    {
      what: 'as a picture of another site',
      headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    },
    {
      what: 'in a frame of another site',
      headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    },
  ])('a browser that is logged in gets no page of the UI $what', async ({ headers }) => {
    expect(await visit(server, headers)).toBe(403)
    expect(await visit(server, {})).toBe(200)
  })

  it('the UI is read with the key as password, behind a forwarded port and by a link too', async () => {
    expect(await visit(server, { host: 'localhost:1234', origin: 'http://localhost:1234' })).toBe(200)
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    expect(await visit(server, link)).toBe(200)
    await withVictim(server, async ({ client }) => {
      const { runId } = (await client.workflow.getHandle(VICTIM).describe()) ?? {}
      const path = `/api/v1/namespaces/default/workflows/${encodeURIComponent(VICTIM)}/run/${runId}/history.json`
      const login = { authorization: `Basic ${btoa(`anyone:${server.options.apiKey}`)}` }
      const history = (await (await fetch(`${server.ui}${path}`, { headers: login })).json()) as object[]
      expect(history[0]).toMatchObject({ event_id: 1 }) // the download calls Temporal by itself
    })
  })

  it('a server that an older version started without a key is started again with one', async () => {
    const recorded = runningService(dataDir, 'temporal')
    if (recorded === null) throw new Error('no server is recorded')
    const { guard: _, ...detail } = recorded.detail ?? {}
    await recordService(dataDir, { ...recorded, detail })
    const again = await ensureTemporal({ dataDir, searchAttributes: [], env: bareEnv, path: onlyGo() })
    expect(again).toMatchObject({ adopted: false, address: server.address })
    server = again
  })

  it.each([
    { what: 'without a key', args: [], says: '--key-file is missing' },
    {
      what: 'beyond loopback without certificates',
      args: ['--ip', '0.0.0.0', '--key-file', 'KEY'],
      says: 'is not a loopback address',
    },
  ])('it does not start $what', async ({ args, says }) => {
    const given = args.map((arg) => (arg === 'KEY' ? keyFileOf(dataDir) : arg))
    const { path } = await binary()
    const failed = promisify(execFile)(path, [...given, '--headless', '--port', '0'])
    await expect(failed).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining(says) })
  })

  it('it does not start with a key that others can read', async () => {
    chmodSync(keyFileOf(dataDir), 0o644)
    const { path } = await binary()
    const failed = promisify(execFile)(path, ['--key-file', keyFileOf(dataDir), '--headless', '--port', '0'])
    await expect(failed).rejects.toMatchObject({
      stderr: expect.stringContaining('can be read by other users'),
    })
    chmodSync(keyFileOf(dataDir), 0o600)
  })
})

/** A PATH without a `temporal`: these tests are about the server that we build. */
function onlyGo(): string {
  const bin = folder()
  const go = findExecutable('go', bareEnv.PATH ?? '')
  if (go !== null) symlinkSync(go, join(bin, 'go'))
  return bin
}

const binary = () =>
  buildTemporal({
    env: bareEnv,
    path: bareEnv.PATH ?? '',
    cacheDir: defaultCacheDir(bareEnv),
    onProgress: () => {},
  })

/** The same server with every guard off. */
async function startOpen(): Promise<{ pid: number; address: string; ui: string; stop(): Promise<void> }> {
  const { path } = await binary()
  const child = spawn(path, ['--open', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const { address, ui } = JSON.parse(line) as { address: string; ui: string }
  return {
    pid: child.pid as number,
    address,
    ui,
    async stop() {
      child.kill()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

const portOf = (host: string): number => Number(host.slice(host.lastIndexOf(':') + 1))

/** A request of a browser that has logged in, for a list of workflows. @returns its status */
async function visit({ ui, options }: Temporal, headers: OutgoingHttpHeaders): Promise<number> {
  const { port } = new URL(ui as string)
  const login = { authorization: `Basic ${btoa(`treeos:${options.apiKey}`)}` }
  const sent = request({
    host: '127.0.0.1',
    port,
    path: '/api/v1/namespaces/default/workflows',
    headers: { ...login, ...headers },
  })
  sent.end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode ?? 0
}
