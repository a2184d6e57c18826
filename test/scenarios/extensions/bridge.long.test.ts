/**
 * The bridge on the worker of a team: two realities on one task queue, and a strict codec. Workflows ask beings of
 * each, and beings of each call workflows.
 */

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { Client, Connection, type WorkflowHandle } from '@temporalio/client'
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker'
import { type PreparedReality, treeos } from '@treeos/host'
import { findEntry, openDatabase } from '@treeos/store'
import { buildRegistry, seed } from '@treeos/world'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AesCodec, newAesKey } from '../../support/aes-codec.ts'
import { emptyDatabase, type OwnDatabase } from '../../support/database.ts'
import { until } from '../../support/life.ts'
import { orders } from '../../support/orders.ts'
import { cutThread, failureOf, openShop, type Shop, ship } from '../../support/shipping.ts'
import { temporalAccess } from '../../support/temporal-access.ts'

const TASK_QUEUE = `bridge-${randomUUID().slice(0, 8)}`
const NAMES = ['first', 'second'].map((name) => `${name}-${randomUUID().slice(0, 8)}`)
const workflowsPath = join(import.meta.dirname, '../../support/orders.workflow.ts')
const dataConverter = { payloadCodecs: [new AesCodec(new Map([['only', newAesKey()]]))] }

const shops: Shop[] = []
const databases: OwnDatabase[] = []
let native: NativeConnection
let connection: Connection
/** reads and writes through the codec */
let temporal: Client
/** has no codec */
let bare: Client
let worker: Worker
let done: Promise<void>

beforeAll(async () => {
  const access = await temporalAccess()
  native = await NativeConnection.connect(access)
  connection = await Connection.connect(access)
  temporal = new Client({ connection, dataConverter })
  bare = new Client({ connection })
  const prepared: PreparedReality[] = []
  const plugins = []
  for (const reality of NAMES) {
    const database = await emptyDatabase()
    databases.push(database)
    const plugin = treeos({ databaseUrl: database.url, extensions: [orders] })
    plugins.push(plugin)
    prepared.push(await plugin.prepare({ connection: native, reality, taskQueue: TASK_QUEUE }))
  }
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, plugins: [treeos(), treeos()] })
  worker = await Worker.create({
    ...{ connection: native, taskQueue: TASK_QUEUE, workflowBundle, plugins, dataConverter },
  })
  done = worker.run()
  for (const [n, { reality }] of prepared.entries()) {
    const db = openDatabase(databases[n]!.url, { role: 'treeos_people' })
    const shop = { db, temporal, reality, registry: buildRegistry([seed, orders]) }
    shops.push(shop)
    await openShop(shop)
  }
}, 120_000)
afterAll(async () => {
  worker?.shutdown()
  await done
  for (const { db } of shops) await db.destroy()
  await Promise.all([native?.close(), connection?.close()])
  for (const database of databases) await database.drop()
})

const start = (workflow: string, request: object): Promise<WorkflowHandle> =>
  temporal.workflow.start(workflow, {
    ...{ workflowId: `host-${randomUUID()}`, taskQueue: TASK_QUEUE, args: [request] },
  })

describe('on a worker of two realities', () => {
  it('a workflow asks a being of the reality that it names', async () => {
    for (const [n, name] of NAMES.entries()) {
      const request = { as: '@orders', to: '@clerk', content: 'how much is a lamp?', reality: name }
      const answered = (await (await start('askBeing', request)).result()) as { correlation: string }
      expect(answered).toMatchObject({ reply: { from: '@clerk', content: 'a lamp is 40 euros, @orders' } })
      const found = await Promise.all(shops.map(({ db }) => findEntry(db, answered.correlation)))
      expect(found.map((entry) => entry !== null)).toEqual(NAMES.map((_, other) => other === n))
    }
  })

  it('one that names none is refused for good, and told which there are', async () => {
    const failure = await failureOf(
      await start('askBeing', { as: '@orders', to: '@clerk', content: 'hello?' }),
    )
    expect(failure).toMatchObject({ type: 'INVALID_INPUT', nonRetryable: true })
    for (const name of NAMES) expect(failure.message).toContain(name)
  })

  it('a being calls a workflow, and is told of its end in its own reality', async () => {
    const asked = await Promise.all(shops.map((shop) => ship(shop, 'seven')))
    expect(new Set(asked.map(({ called }) => called.workflowId)).size).toBe(NAMES.length)
    for (const [n, { called }] of asked.entries()) await called.signal('arrived', `Bern ${n}`)
    for (const [n, { answered }] of asked.entries())
      expect((await answered).reply).toMatchObject({
        from: '@clerk',
        content: { shipped: { result: { order: 'seven', where: `Bern ${n}` } } },
      })
  })

  it('a thread that is cut in one cancels what was called there, and nothing in the other', async () => {
    const [cut, other] = await Promise.all(shops.map((shop) => ship(shop, 'eight')))
    await cutThread(shops[0]!, cut!.thread)
    await expect(cut!.called.result()).rejects.toThrow(/cancelled/i)
    await until(async () => (await cut!.call.describe()).status.name === 'CANCELLED')
    expect((await other!.called.describe()).status.name).toBe('RUNNING')
    await other!.called.signal('arrived', 'Bern')
    expect((await other!.answered).reply?.content).toMatchObject({ shipped: { result: { where: 'Bern' } } })
    await cut!.answered.catch(() => undefined)
  })
})

describe('with a strict codec', () => {
  const ENCRYPTED = Buffer.from('binary/encrypted').toString('base64')
  const CLEAR = /secret-lamp|secret-town/

  /** All of a history as Temporal holds it, with payloads as text. */
  const textOf = async ({ workflowId }: WorkflowHandle): Promise<string> => {
    const history = await bare.workflow.getHandle(workflowId).fetchHistory()
    return JSON.stringify(history, (key, value) =>
      key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
    )
  }

  it('what passes the bridge either way is encrypted in each history, and so is why it was refused', async () => {
    const request = { as: '@orders', reality: NAMES[0]!, content: 'a secret-lamp?' }
    const asking = await start('askBeing', { ...request, to: '@clerk' })
    await asking.result()
    const refused = await start('askBeing', { ...request, to: '@secret-lamp' })
    await expect(refused.result()).rejects.toThrow()
    const { answered, call, called } = await ship(shops[0]!, 'secret-lamp')
    await called.signal('arrived', 'secret-town')
    await answered
    await until(async () => (await call.describe()).status.name === 'COMPLETED')
    for (const handle of [asking, refused, call, called]) {
      const text = await textOf(handle)
      expect(text).toContain(ENCRYPTED)
      expect(text).not.toMatch(CLEAR)
    }
    // a control: whoever has the key reads it
    const { events } = await temporal.workflow.getHandle(called.workflowId).fetchHistory()
    const [started] = events ?? []
    const payloads = started?.workflowExecutionStartedEventAttributes?.input?.payloads ?? []
    const [clear] = await dataConverter.payloadCodecs[0]!.decode(payloads as never)
    expect(Buffer.from(clear?.data ?? []).toString()).toMatch(CLEAR)
  })

  it('what is too large for a message is refused by name, with what to do', async () => {
    const failure = await failureOf(
      await start('askBeing', {
        ...{ as: '@orders', to: '@clerk', reality: NAMES[0]!, content: 'x'.repeat(100 * 1024) },
      }),
    )
    expect(failure).toMatchObject({
      type: 'PAYLOAD_TOO_LARGE',
      nonRetryable: true,
      details: [
        { message: expect.stringMatching(/65536.*: say an id, a URL or the address of a file instead$/) },
      ],
    })
  })
})
