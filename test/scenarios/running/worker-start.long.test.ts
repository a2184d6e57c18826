import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer as createPlainServer } from 'node:http2'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { FaultProxy, tcpTarget } from '../../faults/proxy.ts'
import { WorkerProcess } from '../../faults/worker-process.ts'
import { emptyDatabase, freshDatabase, type TestDatabase } from '../../support/database.ts'
import { until } from '../../support/life.ts'

/** Linux has a file that takes nothing, as if its disk were full. */
const FULL = '/dev/full'

let database: TestDatabase
let postgres: FaultProxy
let temporal: FaultProxy
let folder: string
const workers: WorkerProcess[] = []

beforeAll(async () => {
  database = await freshDatabase()
  folder = await mkdtemp(join(tmpdir(), 'treeos-test-start-'))
  postgres = await FaultProxy.start(tcpTarget(database.url), 'postgres')
  temporal = await FaultProxy.start(tcpTarget(`tcp://${inject('temporalAddress')}`), 'anything')
})
afterEach(async () => {
  for (const worker of workers.splice(0)) {
    worker.kill()
    await worker.ended
  }
  for (const proxy of [postgres, temporal]) proxy.flow()
})
afterAll(async () => {
  await Promise.all([postgres.close(), temporal.close(), database.close()])
  await rm(folder, { recursive: true })
})

function byProxy(url: string): string {
  const through = new URL(url)
  through.host = postgres.address
  return through.href
}

interface Started {
  readonly worker: WorkerProcess
  /** what it has logged so far */
  log(): Promise<string>
}

/** @param file its log */
function start(
  env: NodeJS.ProcessEnv = {},
  file = join(folder, `${workers.length}-${Date.now()}.log`),
): Started {
  const { OPENAI_API_KEY: _, OPENAI_BASE_URL: __, TREEOS_DATA: ___, ...inherited } = process.env
  const worker = new WorkerProcess(file, {
    ...inherited,
    OLLAMA_HOST: '127.0.0.1:1',
    DATABASE_URL: byProxy(database.url),
    ...inject('temporalEnv'),
    TEMPORAL_ADDRESS: temporal.address,
    TREEOS_WORKFLOW_BUNDLE: inject('bundlePath'),
    ...env,
  })
  workers.push(worker)
  return { worker, log: () => readFile(file, 'utf8') }
}

const logged = ({ log }: Started, text: string) =>
  until(async () => (await log()).includes(text), { seconds: 45, what: `a line with ${text}` })

describe('a worker that starts while a service is briefly away', () => {
  it.each([
    { what: 'Postgres refuses', away: () => postgres, fault: 'refuse', says: 'waiting for Postgres at 127' },
    { what: 'Postgres is silent', away: () => postgres, fault: 'stall', says: 'waiting for Postgres at 127' },
    { what: 'Temporal refuses', away: () => temporal, fault: 'refuse', says: 'waiting for Temporal at 127' },
    { what: 'Temporal is silent', away: () => temporal, fault: 'stall', says: 'waiting for Temporal at 127' },
  ])('waits while $what, says so, and takes work once it is back', async ({ away, fault, says }) => {
    if (fault === 'refuse') away().refuse(true)
    else away().stall()
    const started = start()
    await logged(started, says)
    away().flow()
    expect(await started.worker.ready).toBe(true)
  })

  it('waits too when Postgres goes away between its first question and its first beat', async () => {
    const before = postgres.counts.connections
    temporal.refuse(true)
    const started = start()
    await logged(started, 'waiting for Temporal')
    expect(postgres.counts.connections).toBe(before + 1)
    postgres.refuse(true)
    temporal.flow()
    await logged(started, '"where":"start"')
    postgres.flow()
    expect(await started.worker.ready).toBe(true)
  })

  it('ends with a plain word when it stays away', async () => {
    postgres.refuse(true)
    const started = start({ TREEOS_START_SECONDS: '1' })
    expect(await started.worker.ended).toBe(1)
    expect(await started.log()).toContain(`${postgres.address}/`)
    expect(await started.log()).toMatch(/Postgres at \S+ was unavailable for 1 s \(ECONNRE[A-Z]+\)/)
  })

  it('can be stopped while it waits', async () => {
    postgres.refuse(true)
    const started = start()
    await logged(started, 'waiting for Postgres')
    process.kill(started.worker.pid, 'SIGTERM')
    expect(await started.worker.ended).toBe(0)
  })
})

describe.skipIf(!existsSync(FULL))('a worker whose log is full', () => {
  it('goes on, though it has something to say', async () => {
    const { worker } = start({ TREEOS_LOG: 'debug' }, FULL)
    expect(await worker.ready).toBe(true)
    for (let i = 0; i < 3; i++) {
      const before = postgres.counts.connections
      postgres.cut() // it warns of each lost connection
      await until(async () => postgres.counts.connections > before, { seconds: 60, what: 'a new connection' })
    }
    expect(await worker.retire()).toBe(0)
  })

  it('still ends when it must', async () => {
    expect(await start({ DATABASE_URL: '' }, FULL).worker.ended).toBe(1)
  })
})

describe('a worker with a wrong setting ends at once, and says what would be right', () => {
  const plain = createPlainServer()
  beforeAll(async () => {
    plain.on('sessionError', () => undefined).listen(0, '127.0.0.1')
    await once(plain, 'listening')
  })
  afterAll(() => plain.close())
  const withPath = (pathname: string) => Object.assign(new URL(database.url), { pathname }).href

  it.each([
    { what: 'no database', env: () => ({ DATABASE_URL: '' }), says: 'DATABASE_URL is not set' },
    {
      what: 'a database that is not there',
      env: () => ({ DATABASE_URL: withPath('/nowhere') }),
      says: '/nowhere refuses: database \\"nowhere\\" does not exist',
    },
    {
      what: 'a namespace that is not there',
      env: () => ({ TEMPORAL_NAMESPACE: 'nowhere' }),
      says: 'refuses, for the namespace nowhere',
    },
    {
      what: 'TLS where none is spoken',
      env: () => ({ TEMPORAL_ADDRESS: `127.0.0.1:${(plain.address() as AddressInfo).port}` }),
      says: 'refuses, for the namespace default',
    },
    {
      what: 'a malformed port',
      env: () => ({ TREEOS_METRICS_PORT: '99999' }),
      says: 'TREEOS_METRICS_PORT is \\"99999\\"; it takes a port',
    },
    {
      what: 'a malformed time',
      env: () => ({ TREEOS_START_SECONDS: 'soon' }),
      says: 'TREEOS_START_SECONDS is \\"soon\\"; it takes a number of seconds',
    },
    { what: 'an unknown level', env: () => ({ TREEOS_LOG: 'loud' }), says: 'it takes trace, debug' },
  ])('$what', async ({ env, says }) => {
    const started = start(env())
    expect(await started.worker.ended).toBe(1)
    const log = await started.log()
    expect(log).toContain(says)
    expect(log).not.toContain('waiting for')
    expect(log).not.toContain('    at ')
  })

  it('a metrics port that is taken', async () => {
    const squatter = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => squatter.once('listening', resolve))
    const { port } = squatter.address() as { port: number }
    const started = start({ TREEOS_METRICS_PORT: String(port) })
    expect(await started.worker.ended).toBe(1)
    expect(await started.log()).toContain(`TREEOS_METRICS_PORT ${port} cannot be bound (EADDRINUSE)`)
    squatter.close()
  })

  it('a database without a reality', async () => {
    const empty = await emptyDatabase()
    const started = start({ DATABASE_URL: empty.url })
    expect(await started.worker.ended).toBe(1)
    expect(await started.log()).toContain('holds no TreeOS of this version: `treeos up` brings it up to date')
    await empty.drop()
  })
})
