import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, createServer, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const COMPOSE = join(import.meta.dirname, '../../infra/compose')
const file = readFileSync(join(COMPOSE, 'compose.yaml'), 'utf8')
/** The text of each service, by its name. */
const services = new Map(
  [
    ...(file.split(/^services:\n/m)[1] ?? '')
      .split(/^volumes:\n/m)[0]!
      .matchAll(/^ {2}([a-z-]+):\n((?: {2,}#.*\n| {4}.*\n|\n)+)/gm),
  ].map(([, name = '', text = '']) => [name, text] as const),
)
const named = (service: string, key: string): string[] =>
  [...(services.get(service) ?? '').matchAll(new RegExp(`^ +${key}: "?([^"\n]*)"?$`, 'gm'))].map(
    ([, value = '']) => value,
  )

describe('the compose file', () => {
  it('publishes ports on loopback only', () => {
    expect([...services.keys()].sort()).toEqual([
      'portal',
      'postgres',
      'prepare',
      'temporal',
      'temporal-certificates',
      'temporal-namespace',
      'temporal-schema',
      'temporal-ui',
      'treeos',
      'worker',
    ])
    const published = [...file.matchAll(/^ +- "([^"]*:\d+)"$/gm)].map(([, port = '']) => port)
    expect(published).toHaveLength(4)
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:/)
    expect(file).not.toMatch(/network_mode|network: host|privileged/)
  })

  it('has Temporal ask its callers, and its services each other, for a certificate', () => {
    expect(named('temporal', 'TEMPORAL_TLS_REQUIRE_CLIENT_AUTH')).toEqual(['true'])
    for (const variable of ['CLIENT1_CA_CERT', 'SERVER_CA_CERT'])
      expect(named('temporal', `TEMPORAL_TLS_${variable}`)).toEqual(['/certificates/server/ca.pem'])
    for (const variable of ['FRONTEND_CERT', 'SERVER_CERT'])
      expect(named('temporal', `TEMPORAL_TLS_${variable}`)).toEqual(['/certificates/server/server.pem'])
    for (const variable of ['FRONTEND_KEY', 'SERVER_KEY'])
      expect(named('temporal', `TEMPORAL_TLS_${variable}`)).toEqual(['/certificates/server/server-key.pem'])
    for (const variable of ['FRONTEND_SERVER_NAME', 'INTERNODE_SERVER_NAME'])
      expect(named('temporal', `TEMPORAL_TLS_${variable}`)).toEqual(['treeos-temporal'])
  })

  it('does not start the UI, which asks nobody for anything, unless it is asked to', () => {
    expect(services.get('temporal-ui')).toContain('profiles: ["ui"]')
    for (const name of services.keys())
      if (!['temporal-ui', 'treeos'].includes(name)) expect(services.get(name)).not.toContain('profiles')
  })

  it('gives the key of the server to the server alone', () => {
    const holders = [...services]
      .filter(([, text]) => text.includes('temporal-server:'))
      .map(([name]) => name)
    expect(holders.sort()).toEqual(['temporal', 'temporal-certificates'])
  })
})

describe('what the compose file starts of ours', () => {
  const { services: parsed } = parse(file, { merge: true }) as { services: Record<string, Service> }
  const ours = Object.entries(parsed).filter(([, { build }]) => build === '../image')
  const loginsOf = ({ environment }: Service) =>
    Object.keys(environment).filter((name) => name.endsWith('DATABASE_URL'))

  it('no service may gain rights, and ours cannot write their image', () => {
    for (const [name, { cap_drop, security_opt }] of Object.entries(parsed))
      expect([name, cap_drop, security_opt]).toEqual([name, ['ALL'], ['no-new-privileges:true']])
    expect(ours.map(([name]) => name).sort()).toEqual(['portal', 'prepare', 'treeos', 'worker'])
    // the user of the image
    for (const [name, { read_only, tmpfs, user }] of ours)
      expect([name, read_only, tmpfs, user]).toEqual([name, true, ['/tmp'], undefined])
  })

  it('each has the logins that it needs', () => {
    expect(Object.fromEntries(ours.map(([name, service]) => [name, loginsOf(service).sort()]))).toEqual({
      portal: ['TREEOS_PORTAL_DATABASE_URL'],
      prepare: ['DATABASE_URL', 'TREEOS_OWNER_DATABASE_URL'],
      treeos: ['DATABASE_URL', 'TREEOS_PEOPLE_DATABASE_URL', 'TREEOS_PORTAL_DATABASE_URL'],
      worker: ['DATABASE_URL'],
    })
    for (const [name, { environment }] of ours)
      expect([name, 'OPENAI_API_KEY' in environment]).toEqual([name, name === 'worker'])
  })

  it('what it asks of `.env` is in the example, and the roles that it logs in by are made', () => {
    const example = readFileSync(join(COMPOSE, '.env.example'), 'utf8')
    for (const [, name] of file.matchAll(/\$\{(\w+):-/g))
      expect(example).toMatch(new RegExp(`^${name}=`, 'm'))
    const made = readFileSync(join(COMPOSE, 'postgres-init.sh'), 'utf8')
    for (const [, login] of file.matchAll(/postgres:\/\/(treeos_\w+):/g))
      expect(made).toContain(`create role ${login} login password`)
  })
})

interface Service {
  readonly build?: string
  readonly user?: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly tmpfs?: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'])
    return true
  } catch {
    return false
  }
})()

describe.skipIf(!hasOpenssl)('the certificates that its first step makes', () => {
  const folders: string[] = []
  const make = () => {
    const folder = mkdtempSync(join(tmpdir(), 'treeos-certificates-'))
    folders.push(folder)
    for (const name of ['server', 'client']) mkdirSync(join(folder, name)) // the volumes
    run(folder)
    return folder
  }
  const run = (folder: string) =>
    execFileSync('sh', [join(COMPOSE, 'temporal-certificates.sh'), folder], { stdio: 'pipe' })
  const read = (folder: string, name: string) => readFileSync(join(folder, name))
  let ours: string
  let others: string
  let port: number
  /** It asks as Temporal does with TEMPORAL_TLS_REQUIRE_CLIENT_AUTH. */
  const server = (asks: boolean) =>
    createServer(
      {
        cert: read(ours, 'server/server.pem'),
        key: read(ours, 'server/server-key.pem'),
        ca: read(ours, 'server/ca.pem'),
        requestCert: asks,
        rejectUnauthorized: asks,
      },
      (socket) => socket.end('in'),
    ).on('tlsClientError', () => undefined)
  let guarded: ReturnType<typeof server>
  beforeAll(async () => {
    ours = make()
    others = make()
    guarded = server(true)
    port = await listening(guarded)
  })
  afterAll(() => {
    guarded?.close()
    for (const folder of folders) rmSync(folder, { recursive: true })
  })
  const listening = (it: ReturnType<typeof server>) =>
    new Promise<number>((done) => it.listen(0, '127.0.0.1', () => done((it.address() as AddressInfo).port)))

  const call = (credential: object, at = port) =>
    new Promise<string>((done) => {
      let heard = ''
      const socket: TLSSocket = connect({
        host: '127.0.0.1',
        port: at,
        servername: 'treeos-temporal',
        ...credential,
      })
      socket.on('data', (data) => {
        heard += String(data)
      })
      socket.on('error', () => done('out'))
      socket.on('close', () => done(heard === 'in' ? 'in' : 'out'))
    })
  const client = (of: string, name = 'client') => ({
    cert: read(of, `${name}/${name}.pem`),
    key: read(of, `${name}/${name}-key.pem`),
  })

  it('open the server to who has the one of callers, and to nobody else', async () => {
    const ca = read(ours, 'client/ca.pem')
    expect(await call({ ca, ...client(ours) })).toBe('in')
    expect(await call({ ca })).toBe('out')
    expect(await call({ ca, ...client(others) })).toBe('out')
  })

  it('control: a server that does not ask lets them all in', async () => {
    const open = server(false)
    const at = await listening(open)
    const ca = read(ours, 'client/ca.pem')
    expect([await call({ ca }, at), await call({ ca, ...client(others) }, at)]).toEqual(['in', 'in'])
    open.close()
  })

  it('name the server, so that callers talk to no other', async () => {
    expect(await call({ ca: read(others, 'client/ca.pem'), ...client(ours) })).toBe('out')
    const ca = read(ours, 'client/ca.pem')
    expect(await call({ ca, ...client(ours), servername: 'elsewhere' })).toBe('out')
  })

  it('are made once, and without a key of their authority', () => {
    const before = read(ours, 'client/client.pem')
    run(ours)
    expect(read(ours, 'client/client.pem')).toEqual(before)
    expect(readdirSync(join(ours, 'client')).sort()).toEqual(['ca.pem', 'client-key.pem', 'client.pem'])
    expect(readdirSync(join(ours, 'server')).sort()).toEqual(['ca.pem', 'server-key.pem', 'server.pem'])
  })
})
