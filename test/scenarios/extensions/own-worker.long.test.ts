import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { bundleWorkflowCode, NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker'
import { summon } from '@treeos/client'
import { taskQueueOf } from '@treeos/core'
import { type TreeosOptions, treeos } from '@treeos/host'
import { freePort } from '@treeos/local'
import { openDatabase } from '@treeos/store'
import { buildRegistry, seed } from '@treeos/world'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { CliInstance } from '../../cli/instance.ts'
import { emptyDatabase, type OwnDatabase } from '../../support/database.ts'
import { until } from '../../support/life.ts'
import { temporalAccess } from '../../support/temporal-access.ts'

const REALITY = `own-${randomUUID().slice(0, 8)}`

let database: OwnDatabase
let native: NativeConnection
let connection: Connection

beforeAll(async () => {
  database = await emptyDatabase()
  const access = await temporalAccess()
  native = await NativeConnection.connect(access)
  connection = await Connection.connect(access)
})
afterAll(async () => {
  await Promise.all([native.close(), connection.close()])
  await database.drop()
})

/** A namespace of its own, without search attributes of ours. */
async function emptyNamespace(): Promise<string> {
  const namespace = `own-${randomUUID()}`
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  })
  await expect
    .poll(() => connection.workflowService.describeNamespace({ namespace }).then(Boolean, () => false), {
      timeout: 30_000,
    })
    .toBe(true)
  return namespace
}

const plugin = (options: TreeosOptions = {}) => treeos({ databaseUrl: database.url, ...options })
const worker = (
  plugins: ReturnType<typeof treeos>,
  at: Pick<WorkerOptions, 'namespace' | 'taskQueue' | 'workflowBundle'>,
) =>
  Worker.create({
    connection: native,
    workflowBundle: { codePath: inject('bundlePath') },
    plugins: [plugins],
    ...at,
  })

describe('a worker of one’s own on an empty database and an empty namespace', () => {
  it('without prepare it ends at once, and says what prepares the database', async () => {
    const own = await worker(plugin(), { taskQueue: 'none-yet' })
    await expect(own.run()).rejects.toThrow(
      'this database holds no TreeOS of this version: `await treeos({ … }).prepare({ connection })` or `treeos up` makes it',
    )
  })

  it('prepare makes schema, reality and search attributes, once, also from several processes at once', async () => {
    const namespace = await emptyNamespace()
    const prepared = await Promise.all(
      [1, 2, 3].map(() => plugin().prepare({ connection: native, namespace, reality: REALITY })),
    )
    expect(new Set(prepared.map(({ reality }) => reality.id)).size).toBe(1)
    expect(prepared[0]).toMatchObject({
      reality: { name: REALITY, timeZone: 'UTC' },
      taskQueue: taskQueueOf(REALITY),
    })
    const later = await plugin().prepare({
      connection,
      namespace,
      reality: 'another',
      timeZone: 'Asia/Tokyo',
    })
    expect(later).toEqual(prepared[0])

    const beings = plugin()
    const own = await worker(beings, { namespace, taskQueue: later.taskQueue })
    expect(beings.isReady()).toBe(false)
    const db = openDatabase(database.url, { role: 'treeos_people' })
    try {
      await own.runUntil(async () => {
        const temporal = new Client({ connection, namespace })
        const at = { db, temporal, reality: later.reality, registry: buildRegistry([seed]) }
        const asked = { target: 'echo', content: 'hello', as: 'operator', waitSeconds: 20 } as const
        // Temporal's services learn of a new namespace one after the other. An act is refused and taken back
        // until then.
        const { reply } = await until(() =>
          summon(at, asked).catch((error: { code?: string }) => {
            if (error.code !== 'SERVICE_UNAVAILABLE') throw error
            return null
          }),
        )
        expect(reply).toMatchObject({ from: '@echo', content: 'hello' })
        expect(beings.isReady()).toBe(true)
      })
      expect(beings.isReady()).toBe(false)
    } finally {
      await db.destroy()
    }
  })

  it('in a namespace without search attributes it ends at once, and names them', async () => {
    const own = await worker(plugin(), { namespace: await emptyNamespace(), taskQueue: taskQueueOf(REALITY) })
    await expect(own.run()).rejects.toThrow(
      /has no search attributes TreeosReality, TreeosBeing, TreeosCognition, TreeosRole: .*prepare.* adds them/,
    )
  })

  it('on another task queue it ends at once, and says which one its beings wait in', async () => {
    await plugin().prepare({ connection })
    const own = await worker(plugin(), { taskQueue: 'mine' })
    await expect(own.run()).rejects.toThrow(
      `this worker polls the task queue mine, but the beings of reality ${REALITY} wait in treeos-${REALITY}: ` +
        `create the worker with taskQueue: 'treeos-${REALITY}'`,
    )
  })
})

const home = new CliInstance(() => ({ DATABASE_URL: database.url, ...inject('temporalEnv') }))
afterAll(() => home.remove())

/** What doctor says of one thing. */
async function checkOf(name: string) {
  const { stdout } = await home.run(['doctor', '--json'])
  const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean; found: string }[] }
  return checks.find((check) => check.name === name)
}

describe('where no worker polls the task queue of a reality', () => {
  const why = `No worker polls the task queue treeos-${REALITY}, in which the beings of reality ${REALITY} wait`

  it('summon --wait says so', async () => {
    const { status, stdout } = await home.run(['summon', '@echo', 'hello?', '--wait', '1', '--json'])
    expect(status).toBe(1)
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining(`${why}; \`npx treeos doctor\` says what to do`),
    })
  })

  it('doctor says so, until one polls', async () => {
    const queue = () => checkOf('task queue')
    expect(await queue()).toMatchObject({
      ok: false,
      found: why,
      mend: `npx treeos worker, or create your own worker with taskQueue: 'treeos-${REALITY}'`,
    })
    const own = await worker(plugin(), { taskQueue: taskQueueOf(REALITY) })
    await own.runUntil(() => expect.poll(queue, { timeout: 20_000 }).toMatchObject({ ok: true }))
  })
})

describe('a worker of one’s own with a port', () => {
  const get = (port: number, path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      async (answer) => ({ status: answer.status, text: await answer.text() }),
      () => ({ status: 0, text: '' }),
    )

  it('tells over HTTP when it takes moments, and counts them', async () => {
    const port = await freePort('metrics')
    const outcomes: string[] = []
    const observe = { outcome: (kind: string) => void outcomes.push(kind) }
    const own = await worker(plugin({ metrics: { port }, observe }), { taskQueue: taskQueueOf(REALITY) })
    expect(await get(port, '/ready')).toMatchObject({ status: 0 })
    await own.runUntil(async () => {
      await until(async () => (await get(port, '/ready')).status === 200)
      await home.json(['summon', '@echo', 'hello', '--wait', '40'])
      const { text } = await get(port, '/metrics')
      expect(text).toMatch(/^treeos_moments_total\{outcome="act",reason=""\} [1-9]/m)
      expect(text).toMatch(/^treeos_inbox_waiting 0$/m)
      // a control: what the host itself observes is told as before
      expect(outcomes).toContain('act')
      for (const path of ['/mind', '/tools']) expect(await get(port, path)).toMatchObject({ status: 404 })
    })
    expect(await get(port, '/ready')).toMatchObject({ status: 0 })
  })

  it('does not run where another program has the port', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const own = await worker(plugin({ metrics: { port } }), { taskQueue: taskQueueOf(REALITY) })
    await expect(own.run()).rejects.toThrow(
      `treeos({ metrics }): port ${port} cannot be bound (EADDRINUSE): give each worker of this machine a port of its own`,
    )
    other.close()
  })

  it('is not ready until it has reached Postgres', async () => {
    const port = await freePort('metrics')
    const url = new URL(database.url)
    const folder = mkdtempSync(join(tmpdir(), 'treeos-no-socket-'))
    const socket = join(decodeURIComponent(url.hostname), `.s.PGSQL.${url.port}`)
    url.hostname = encodeURIComponent(folder)
    const own = await worker(plugin({ metrics: { port }, databaseUrl: url.href }), {
      taskQueue: taskQueueOf(REALITY),
    })
    try {
      await own.runUntil(async () => {
        await until(async () => (await get(port, '/ready')).status === 503)
        await until(async () =>
          /^treeos_errors_total\{where="start"\} [1-9]/m.test((await get(port, '/metrics')).text),
        )
        symlinkSync(socket, join(folder, `.s.PGSQL.${url.port}`))
        await until(async () => (await get(port, '/ready')).status === 200)
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('a worker of one’s own that fails the tasks of beings', () => {
  it('is told by doctor with the cause, and by status with what waits', async () => {
    expect(await checkOf('workflow tasks')).toMatchObject({ ok: true })
    const workflowBundle = await bundleWorkflowCode({
      workflowsPath: join(import.meta.dirname, '../../support/host.workflow.ts'),
      workflowInterceptorModules: [join(import.meta.dirname, '../../support/breaking-host.ts')],
      plugins: [plugin()],
    })
    const own = await worker(plugin(), { taskQueue: taskQueueOf(REALITY), workflowBundle })
    await own.runUntil(async () => {
      expect(await home.refusal(['summon', '@echo', 'hello?', '--wait', '1'])).toMatchObject({
        code: 'TIMEOUT',
      })
      const told = await until(
        async () => {
          const check = await checkOf('workflow tasks')
          return check?.ok === false && check
        },
        { seconds: 150 },
      )
      expect(told.found).toMatch(/^workers fail the tasks of "being\/own-\w+\/operator" \(\w+Failure\)/)
      const { worker: workers, wakes } = await home.json<{
        worker: { living: number }
        wakes: { waiting: number }
      }>(['status'])
      expect(workers.living).toBe(1)
      expect(wakes.waiting).toBeGreaterThan(0)
    })
    // Mended, the being goes on with what waited.
    const mended = await worker(plugin(), { taskQueue: taskQueueOf(REALITY) })
    await mended.runUntil(async () => {
      await until(async () => (await checkOf('workflow tasks'))?.ok, { seconds: 60 })
      expect((await home.json<{ wakes: { waiting: number } }>(['status'])).wakes.waiting).toBe(0)
    })
  }, 300_000)
})
