import { randomUUID } from 'node:crypto'
import { Client, Connection as TemporalConnection } from '@temporalio/client'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { type ChainDb, migrate, openDatabase, type Reality } from '@treeos/chain'
import { act, type Connection, plantReality } from '@treeos/client'
import type { JsonObject } from '@treeos/core'
import { createModel, type Model, mindOf, treeos } from '@treeos/plugin'
import { taskQueueOf } from '@treeos/workflows'
import { assemble, type Extension, seed } from '@treeos/world'
import type { Kysely } from 'kysely'
import { inject } from 'vitest'
import { emptyDatabase } from './database.ts'

/** A reality of its own on the services of the run, with a worker in this process. */
export interface World extends Connection {
  readonly reality: Reality
  readonly db: Kysely<ChainDb>
  /** with rights that the product never has: to tamper */
  readonly owner: Kysely<ChainDb>
  readonly url: string
  /** errors that history was not told the message of */
  readonly errors: { where: string; error: unknown }[]
  birth(payload: JsonObject): Promise<void>
  stopWorker(): Promise<void>
  startWorker(): Promise<void>
  close(): Promise<void>
}

export interface WorldOptions {
  readonly extensions?: readonly Extension[]
  readonly modelUrl?: string
  readonly modelTimeoutSeconds?: number
  readonly timeZone?: string
}

let installed = false

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  if (!installed) {
    Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] })
    installed = true
  }
  const address = inject('temporalAddress')
  const { url, drop } = await emptyDatabase()
  const owner = openDatabase(url, { asOwner: true, poolMax: 4 })
  await migrate(owner)
  const db = openDatabase(url, { poolMax: 6 })
  const extensions = options.extensions ?? []
  const parts = assemble([seed, ...extensions])
  const name = `r-${randomUUID().slice(0, 8)}`
  const { reality } = await plantReality(owner, parts, { name, timeZone: options.timeZone ?? 'UTC' })
  const connection = await TemporalConnection.connect({ address })
  const temporal = new Client({ connection })
  const errors: World['errors'] = []
  const native = await NativeConnection.connect({ address })
  let running: { worker: Worker; done: Promise<void> } | null = null

  async function startWorker() {
    const worker = await Worker.create({
      connection: native,
      taskQueue: taskQueueOf(name),
      workflowBundle: { codePath: inject('bundlePath') },
      stickyQueueScheduleToStartTimeout: '1s',
      plugins: [
        treeos({ extensions, databaseUrl: url, model: modelOf(options), onError: (where, error) => errors.push({ where, error }) }),
      ],
    })
    running = { worker, done: worker.run() }
  }
  async function stopWorker() {
    running?.worker.shutdown()
    await running?.done
    running = null
  }
  await startWorker()
  const at = { db, temporal, reality, parts }
  return {
    ...at,
    owner,
    url,
    errors,
    startWorker,
    stopWorker,
    async birth(payload) {
      await act(at, 'operator', { verb: 'be', operation: 'birth', payload })
    },
    async close() {
      await stopWorker()
      await native.close()
      await connection.close()
      await Promise.all([db.destroy(), owner.destroy()])
      await drop()
    },
  }
}

function modelOf({ modelUrl, modelTimeoutSeconds = 10 }: WorldOptions): Model | null {
  if (modelUrl === undefined) return null
  return createModel(mindOf({ model: 'test', baseUrl: modelUrl, apiKey: null }), { timeoutSeconds: modelTimeoutSeconds })
}
