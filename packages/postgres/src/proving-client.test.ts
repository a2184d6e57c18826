import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Plan, squatterForTests } from '../test/squatter-process.ts'
import { ProvingClient } from './proving-client.ts'
import { UnprovenServerError } from './unproven-server.ts'

const PASSWORD = 'sentinel-4f1c'
const QUERY = 'select secret_of_a_being'
const squatter = squatterForTests()

interface Visit {
  readonly Client?: typeof pg.Client
  readonly login?: string
  /** of the URL */
  readonly query?: string
}

/** What a client tells a squatter. */
async function visit(
  plan: Plan,
  { Client = ProvingClient, login = `treeos_worker:${PASSWORD}`, query = '' }: Visit = {},
) {
  const port = await squatter.squat(plan)
  const url = `postgres://${login}@127.0.0.1:${port}/treeos${query}`
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 500 })
  client.on('error', () => undefined)
  const asked = client.query(QUERY).catch(() => undefined) // waits for the login
  const failure = await client.connect().then(
    () => null,
    (error: Error) => error,
  )
  await asked
  await client.end().catch(() => undefined)
  const text = await squatter.received()
  return { failure, told: { password: text.includes(PASSWORD), query: text.includes(QUERY) }, text }
}
const NOTHING = { password: false, query: false }

/** What `pg.Client` tells. */
const TRICKS = {
  'asks for the password in clear': { password: true, query: true },
  'asks for the password as MD5': { password: false, query: true }, // and a digest to guess from
  'lets everybody in': { password: false, query: true },
  'says that it is ready, without any login': { password: false, query: true },
  'offers another mechanism only': { password: false, query: true },
  'signs with chance': { password: false, query: true },
  'signs with another password': { password: false, query: true },
  'sends no signature': { password: false, query: true },
  'sends an empty signature': { password: false, query: true },
  'lets in after the proof, without a signature of its own': { password: false, query: true },
  'asks in clear after the proof': { password: true, query: true },
  'asks in clear before the proof': { password: true, query: true },
  'sends the proof of the client back': { password: false, query: true },
  'replays the challenge of another login': NOTHING,
  'asks for a proof of one round': { password: false, query: true },
  'asks for 2^31 rounds': NOTHING,
  'asks for no number of rounds': NOTHING,
  'signs before it asks': { password: false, query: true },
  'asks twice at once, for two proofs': { password: false, query: true },
  'begins the exchange again after the proof': { password: false, query: true },
  'sends a row before the login': { password: false, query: true },
}

describe('a process that listens in the place of Postgres', () => {
  it.each(Object.entries(TRICKS))('and %s gets no password and no query', async (trick, told) => {
    const { failure, told: toldByOurs, text } = await visit({ trick })
    expect(failure).toBeInstanceOf(UnprovenServerError)
    expect(failure?.message).toMatch(/^what listens at 127.0.0.1:\d+ .*: it got no password and no query/)
    expect(failure?.message).not.toContain(PASSWORD)
    expect(toldByOurs).toEqual(NOTHING)
    expect(text).toContain('treeos_worker') // it was asked at all
    expect((await visit({ trick }, { Client: pg.Client })).told, 'the control: pg alone').toEqual(told)
  })

  it.each(['asks for a login that pg does not know', 'speaks HTTP', 'sends without end'])(
    'and %s does not end our process',
    async (trick) => {
      const { failure, told } = await visit({ trick })
      expect(failure).not.toBe(null)
      expect(told).toEqual(NOTHING)
    },
  )

  it('ends the process of who uses pg alone: the control', async () => {
    const port = await squatter.squat({ trick: 'asks for a login that pg does not know' })
    const script = `const { Client } = require('pg')
      const client = new Client('postgres://a:b@127.0.0.1:${port}/c')
      client.on('error', () => {})
      client.connect().catch(() => process.exit(0))`
    const run = promisify(execFile)(process.execPath, ['-e', script], { cwd: import.meta.dirname })
    await expect(run).rejects.toMatchObject({ stderr: expect.stringContaining('Unknown authenticationOk') })
  })
})

describe('without a password', () => {
  it('a server that lets everybody in gets queries: there is no secret, and nothing that proves it', async () => {
    const { failure, told } = await visit({ trick: 'lets everybody in' }, { login: 'treeos_worker' })
    expect(failure).toBe(null)
    expect(told).toEqual({ password: false, query: true })
  })

  it.each(['asks for the password in clear', 'asks for the password as MD5', 'signs with chance'])(
    'a server that %s is refused, whatever ~/.pgpass holds',
    async (trick) => {
      const { failure, told } = await visit({ trick }, { login: 'treeos_worker' })
      expect(failure?.message).toContain('asked for a password, and there is none')
      expect(told).toEqual(NOTHING)
    },
  )
})

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'])
    return true
  } catch {
    return false
  }
})()

describe.skipIf(!hasOpenssl)('over TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'treeos-proving-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const make = (name: string, subject: string) => {
    const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}-key.pem`)]
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
    const of = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${subject}`]
    execFileSync('openssl', ['req', ...kind, ...of, '-keyout', key, '-out', cert], { stdio: 'pipe' })
    return { file: cert, cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  }
  type Made = ReturnType<typeof make>
  let server: Made
  let stranger: Made
  let otherName: Made
  beforeAll(() => {
    server = make('server', 'IP:127.0.0.1')
    stranger = make('stranger', 'IP:127.0.0.1')
    otherName = make('other-name', 'DNS:else.example')
  })
  const trick = 'asks for the password in clear'

  it.each([
    { what: 'of another authority', tls: () => stranger, query: '&sslmode=verify-full' },
    { what: 'of another name', tls: () => otherName, query: '&sslmode=verify-full' },
    { what: 'of another authority, under sslmode=require', tls: () => stranger, query: '&sslmode=require' },
    { what: 'that nobody verifies', tls: () => stranger, query: '&sslmode=no-verify', control: true },
    {
      what: 'of another name, of which only the authority is verified',
      tls: () => otherName,
      query: '&sslmode=verify-ca&uselibpqcompat=true',
      control: true,
    },
  ])('a certificate $what proves nothing', async ({ tls, query, control = false }) => {
    const trusted = query.includes('verify-ca') ? tls() : server
    const how = { query: `?sslrootcert=${trusted.file}${query}` }
    const { failure, told } = await visit({ trick, tls: tls() }, how)
    expect(failure).not.toBe(null)
    expect(told).toEqual(NOTHING)
    const byPg = await visit({ trick, tls: tls() }, { ...how, Client: pg.Client })
    expect(byPg.told.password, 'the control: pg alone').toBe(control)
  })

  it.each(['N', 'E', 'Sx', 'R'])(
    'a server that answers %s to the request of TLS is told nothing',
    async (answer) => {
      const { failure, told, text } = await visit({ trick, tls: answer }, { query: '?sslmode=verify-full' })
      expect(failure).not.toBe(null)
      expect(told).toEqual(NOTHING)
      expect(text).not.toContain('treeos_worker')
    },
  )

  it('a verified certificate proves the server, which may then ask for the password in any way', async () => {
    const how = { query: `?sslrootcert=${server.file}&sslmode=verify-full` }
    const { failure, told } = await visit({ trick, tls: server }, how)
    expect(failure).toBe(null)
    expect(told).toEqual({ password: true, query: true })
  })
})

describe('over a Unix socket', () => {
  const trick = 'asks for the password in clear'
  const connect = async (mode: number) => {
    const folder = mkdtempSync(join(tmpdir(), 'treeos-proving-'))
    chmodSync(folder, 0o777) // for the squatter, which is another user where tests run as root
    await squatter.squat({ trick, socketFile: join(folder, '.s.PGSQL.5432') })
    chmodSync(folder, mode)
    const client = new ProvingClient(`postgres://a:${PASSWORD}@${encodeURIComponent(folder)}:5432/b`)
    const failure = await client.connect().then(
      () => null,
      (error: Error) => error,
    )
    await client.end().catch(() => undefined)
    rmSync(folder, { recursive: true })
    return { failure, password: (await squatter.received()).includes(PASSWORD) }
  }

  it('a folder that every user can write proves nothing', async () => {
    const { failure, password } = await connect(0o777)
    expect(failure?.message).toMatch(/^what listens at \/.*\.s\.PGSQL\.5432 asked for the password in clear/)
    expect(password).toBe(false)
  })

  it('a folder of its owner proves the server', async () => {
    expect(await connect(0o755)).toEqual({ failure: null, password: true })
  })
})
