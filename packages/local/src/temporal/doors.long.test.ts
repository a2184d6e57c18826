import { execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { bareEnv, temporaryFolders } from '../../test/instances.ts'
import type { Plan, Raid } from '../../test/intruder.ts'
import { openServers } from '../../test/open-server.ts'
import { stopInstance } from '../instance/stop.ts'
import { configFileOf, keyFileOf, tlsFolderOf } from './access.ts'
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

const listeningPorts = (pid: number): number[] => listeners(pid).map(({ port }) => port)

/** Where a process listens: the ports, and whether other machines may reach them. From proc(5). */
function listeners(pid: number): { port: number; isLoopback: boolean }[] {
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
    const [address = '', port = ''] = local.split(':')
    return listens
      ? [{ port: Number.parseInt(port, 16), isLoopback: /^(0100007F|0{24}01000000)$/.test(address) }]
      : []
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
  const certificateFile = (name: string) => join(tlsFolderOf(dataDir), `${name}.pem`)
  const visit = (to: Temporal, headers: OutgoingHttpHeaders, key = keyOf(dataDir)) =>
    visitUi(to, headers, key)
  beforeAll(async () => {
    dataDir = folder()
    server = await ensureTemporal({ dataDir, searchAttributes: [], env: bareEnv, path: onlyGo() })
    ports = await portsOf(server)
  }, 900_000)
  afterAll(() => stopInstance(dataDir))

  it('its key and its certificates are 0600 in a folder of 0700, also where the folder was open before', async () => {
    const key = keyOf(dataDir)
    expect(key).toMatch(/^[\w-]{43}$/)
    const secrets = [keyFileOf(dataDir), configFileOf(dataDir), certificateFile('client-key')]
    for (const file of secrets) expect(statSync(file).mode & 0o777, file).toBe(0o600)
    expect(statSync(join(dataDir, 'temporal')).mode & 0o777).toBe(0o700)
    chmodSync(join(dataDir, 'temporal'), 0o755)
    await server.stop()
    server = await ensureTemporal({ dataDir, searchAttributes: [], env: bareEnv, path: onlyGo() })
    ports = await portsOf(server)
    expect(statSync(join(dataDir, 'temporal')).mode & 0o777).toBe(0o700)
    expect(keyOf(dataDir)).not.toBe(key) // what a browser showed to another program meanwhile opens nothing
    expect(await visit(server, {}, key)).toBe(401)
  })

  it('another user gets in by none of its ports, over TCP, HTTP or gRPC, without and with a wrong key', async () => {
    const files = isRoot
      ? [keyFileOf(dataDir), certificateFile('client-key'), join(dataDir, 'temporal', 'server.db')]
      : []
    await withVictim(server, async ({ client, namespaceId }) => {
      expect(ports.length).toBeGreaterThanOrEqual(5) // four services and the UI
      const { tries, gotIn } = await raid({ ports, files, namespaceId, key: null })
      expect(gotIn).toEqual([])
      expect(tries).toBe(ports.length * (2 + 2 * 7 + 3 * 2 * 3) + files.length)
      expect(await signalsOf(client)).toBe(0)
    })
  })

  it('its key opens the UI, and no port of gRPC', async () => {
    await withVictim(server, async ({ client, namespaceId }) => {
      const { gotIn } = await raid({ ports, files: [], namespaceId, key: keyOf(dataDir) })
      const ui = portOf(new URL(server.ui as string).host)
      expect([...gotIn].sort()).toEqual(
        ['batch', 'read', 'signal'].map((name) => `http ${name} ${ui} as 127.0.0.1:${ui}`),
      )
      expect(await signalsOf(client)).toBeGreaterThanOrEqual(1)
    })
  })

  it('with the certificate of callers the ways of gRPC lead in: it alone keeps others out', async () => {
    await withVictim(server, async ({ namespaceId }) => {
      const tls = {
        ca: certificateFile('ca'),
        cert: certificateFile('client'),
        key: certificateFile('client-key'),
      }
      const { gotIn } = await raid({ ports, files: [], namespaceId, key: null, tls })
      const grpc = portOf(server.address)
      const names = ['admin', 'health', 'history', 'namespaces', 'signal', 'system-info']
      expect([...new Set(gotIn)].sort()).toEqual(names.map((name) => `grpc ${name} ${grpc}`))
    })
  })

  it('without the guard the same intruder gets in: by gRPC, past the frontend, and by HTTP from any site', async () => {
    const open = await startOpen()
    try {
      await withVictim({ options: { address: open.address } }, async ({ client, namespaceId }) => {
        const { gotIn } = await raid({ ports: await portsOf(open), files: [], namespaceId, key: null })
        const ui = portOf(new URL(open.ui as string).host)
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
      const login = { authorization: `Basic ${btoa(`anyone:${keyOf(dataDir)}`)}` }
      const history = (await (await fetch(`${server.ui}${path}`, { headers: login })).json()) as object[]
      expect(history[0]).toMatchObject({ event_id: 1 }) // the download calls Temporal by itself
    })
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

describe.skipIf(process.platform !== 'linux')('beyond loopback', () => {
  const NAMED = ['admin', 'health', 'history', 'namespaces', 'signal', 'system-info'].map(
    (name) => `grpc ${name}`,
  )
  let dataDir: string
  let server: Temporal
  /** of another instance */
  let foreign: string
  let ports: number[]
  beforeAll(async () => {
    const start = (dataDir: string) =>
      ensureTemporal({ dataDir, bind: '0.0.0.0', searchAttributes: [], env: bareEnv, path: onlyGo() })
    const other = folder()
    await (await start(other)).stop()
    foreign = tlsFolderOf(other)
    dataDir = folder()
    server = await start(dataDir)
    ports = await portsOf(server)
  }, 900_000)
  afterAll(() => stopInstance(dataDir))

  const file = (name: string, of = tlsFolderOf(dataDir)) => join(of, name)
  const certificateOf = (of: string, name = 'client') => ({
    cert: file(`${name}.pem`, of),
    key: file(`${name}-key.pem`, of),
  })
  const tries = (tls: NonNullable<Plan['tls']>, key: string | null = null) =>
    withVictim(server, async ({ client, namespaceId }) => {
      const before = await signalsOf(client)
      const { gotIn } = await raid({ ports, files: [], namespaceId, key, tls })
      const names = gotIn.map((way) => way.replace(` ${portOf(server.address)}`, ''))
      return { names: [...new Set(names)].sort(), signals: (await signalsOf(client)) - before }
    })

  it('only gRPC listens there; its authority is 0600 in a folder of 0700', () => {
    const open = listeners(server.pid as number).filter(({ isLoopback }) => !isLoopback)
    expect(open.map(({ port }) => port)).toEqual([portOf(server.address)])
    expect(statSync(tlsFolderOf(dataDir)).mode & 0o777).toBe(0o700)
    for (const name of ['ca.pem', 'ca-key.pem', 'client.pem', 'client-key.pem'])
      expect(statSync(file(name)).mode & 0o777, name).toBe(0o600)
  })

  it('another user gets in by no port without TLS, with the key neither', async () => {
    const key = keyOf(dataDir)
    const files = isRoot ? ['ca-key.pem', 'client-key.pem'].map((name) => file(name)) : []
    await withVictim(server, async ({ namespaceId }) => {
      expect((await raid({ ports, files, namespaceId, key: null })).gotIn).toEqual([])
      const { gotIn } = await raid({ ports, files: [], namespaceId, key })
      // the UI listens on loopback, and asks for the key
      expect(gotIn.filter((way) => !way.startsWith('http'))).toEqual([])
    })
  })

  it('nor over TLS without a certificate, with the key neither', async () => {
    const tls = { ca: file('ca.pem') }
    expect(await tries(tls)).toEqual({ names: [], signals: 0 })
    const key = keyOf(dataDir)
    expect(await tries(tls, key)).toEqual({ names: [], signals: 0 })
  })

  it('nor with the certificate of another authority', async () => {
    expect(await tries({ ca: file('ca.pem'), ...certificateOf(foreign) })).toEqual({ names: [], signals: 0 })
  })

  it('control: with the certificate of callers the same ways lead in', async () => {
    const { names, signals } = await tries({ ca: file('ca.pem'), ...certificateOf(tlsFolderOf(dataDir)) })
    expect(names).toEqual(NAMED)
    expect(signals).toBeGreaterThan(0)
  })

  it.skipIf(findExecutable('openssl', bareEnv.PATH ?? '') === null).each([
    { what: 'of another name', name: 'somebody-else', extension: 'clientAuth', gets: [] },
    { what: 'made for servers', name: 'treeos-client', extension: 'serverAuth', gets: [] },
    {
      what: 'of the name of callers: the control',
      name: 'treeos-client',
      extension: 'clientAuth',
      gets: NAMED,
    },
  ])('a certificate of its authority $what', async ({ name, extension, gets }) => {
    const made = await issue(tlsFolderOf(dataDir), { name, extension })
    expect((await tries({ ca: file('ca.pem'), ...certificateOf(made, 'made') })).names).toEqual(gets)
  })

  it('callers do not talk to a server of another authority', async () => {
    const { options } = server
    const tls = { ...(options.tls as object), serverRootCACertificate: readFileSync(file('ca.pem', foreign)) }
    await expect(Connection.connect({ ...options, tls, connectTimeout: 3_000 })).rejects.toThrow(
      'Failed to connect',
    )
  })

  it('it keeps its authority, so that copies on other machines stay of use', async () => {
    const before = readFileSync(file('client.pem'), 'utf8')
    await server.stop()
    server = await ensureTemporal({
      dataDir,
      searchAttributes: [],
      env: { ...bareEnv, TREEOS_BIND: '0.0.0.0' },
      path: onlyGo(),
    })
    ports = await portsOf(server)
    expect(readFileSync(file('client.pem'), 'utf8')).toBe(before)
    await withVictim(server, async ({ client }) => expect(await signalsOf(client)).toBeGreaterThan(0))
    const elsewhere = ensureTemporal({ dataDir, searchAttributes: [], env: bareEnv, path: onlyGo() })
    await expect(elsewhere).rejects.toThrow('listens on 0.0.0.0, not on 127.0.0.1: stop the instance first')
  })

  it('a server that cannot ask for a certificate does not start there', async () => {
    const bin = folder()
    const cli = join(bin, 'temporal')
    writeFileSync(cli, '#!/bin/sh\nexit 1\n')
    chmodSync(cli, 0o755)
    const old = folder()
    mkdirSync(join(old, 'temporal'))
    writeFileSync(join(old, 'temporal', 'cli.db'), '')
    const started = ensureTemporal({
      dataDir: old,
      bind: '0.0.0.0',
      searchAttributes: [],
      env: bareEnv,
      path: bin,
    })
    await expect(started).rejects.toThrow('cannot ask its callers for a certificate')
    const wrong = ensureTemporal({ dataDir: folder(), bind: 'my-host', searchAttributes: [], env: bareEnv })
    await expect(wrong).rejects.toThrow('"my-host"; it takes an IP address of this machine')
  })
})

/** A certificate of an authority, made with its key. @returns the folder of `made.pem` and `made-key.pem` */
async function issue(
  authority: string,
  { name, extension }: { name: string; extension: string },
): Promise<string> {
  const made = folder()
  const openssl = (...args: string[]) => promisify(execFile)('openssl', args, { cwd: made })
  writeFileSync(join(made, 'extensions'), `extendedKeyUsage=${extension}`)
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'made-key.pem']
  await openssl('req', ...key, '-subj', `/CN=${name}`, '-out', 'made.csr')
  const by = ['-CA', join(authority, 'ca.pem'), '-CAkey', join(authority, 'ca-key.pem'), '-CAcreateserial']
  const into = ['-CAserial', join(made, 'serial'), '-days', '2', '-extfile', 'extensions', '-out', 'made.pem']
  await openssl('x509', '-req', '-in', 'made.csr', ...by, ...into)
  return made
}

const keyOf = (dataDir: string): string => readFileSync(keyFileOf(dataDir), 'utf8').trim()

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

const start = openServers()
/** The same server with every guard off. */
const startOpen = async () => start((await binary()).path, [])

const portOf = (host: string): number => Number(host.slice(host.lastIndexOf(':') + 1))

/** A request of a browser that has logged in, for a list of workflows. @returns its status */
async function visitUi({ ui }: Temporal, headers: OutgoingHttpHeaders, key: string): Promise<number> {
  const { port } = new URL(ui as string)
  const login = { authorization: `Basic ${btoa(`treeos:${key}`)}` }
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
