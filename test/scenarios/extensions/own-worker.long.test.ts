import { randomUUID } from 'node:crypto'
import { Client, Connection } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { summon } from '@treeos/client'
import { taskQueueOf } from '@treeos/core'
import { treeos } from '@treeos/host'
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

const plugin = () => treeos({ databaseUrl: database.url })
const worker = (plugins: ReturnType<typeof treeos>, at: { namespace?: string; taskQueue: string }) =>
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

describe('where no worker polls the task queue of a reality', () => {
  const home = new CliInstance(() => ({
    DATABASE_URL: database.url,
    ...inject('temporalEnv'),
  }))
  afterAll(() => home.remove())
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
    const queue = async () => {
      const { stdout } = await home.run(['doctor', '--json'])
      const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean }[] }
      return checks.find(({ name }) => name === 'task queue')
    }
    expect(await queue()).toMatchObject({
      ok: false,
      found: why,
      mend: `npx treeos worker, or create your own worker with taskQueue: 'treeos-${REALITY}'`,
    })
    const own = await worker(plugin(), { taskQueue: taskQueueOf(REALITY) })
    await own.runUntil(() => expect.poll(queue, { timeout: 20_000 }).toMatchObject({ ok: true }))
  })
})
