/**
 * What examples 8 to 12 share: a worker, services, and a connection to them, for as long as one function
 * runs.
 */
import { randomBytes } from 'node:crypto'
import { Client, Connection as TemporalConnection } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { type Connection, plantScene } from '@treeos/client'
import { buildRegistry, openDatabase, seed, VaultClient } from '@treeos/client/open'
import { createModel, type ModelEndpoint, resolveModelEndpoint, treeos } from '@treeos/host'
import { ensurePostgres, ensureTemporal } from '@treeos/host/services'
import type { Extension } from '@treeos/sdk'

const THINKING_SECONDS_MAX = 120

/** The model that OPENAI_API_KEY, or OPENAI_BASE_URL and TREEOS_MODEL, name. */
export async function requireMind(): Promise<ModelEndpoint> {
  const mind = await resolveModelEndpoint(process.env)
  if (mind !== null) return mind
  throw new Error('no model is connected: set OPENAI_API_KEY, or OPENAI_BASE_URL and TREEOS_MODEL')
}

/**
 * Hosts the beings of an extension while `use` runs, on the services that DATABASE_URL and TEMPORAL_* name,
 * else on others in `.treeos/NAME` that it stops again.
 * @param workflowsPath a module with workflows of one's own
 * @param connections further models by the names that beings have in `llm.connection`
 */
export async function withBeings(
  name: string,
  extension: Extension,
  {
    mind,
    connections = {},
    workflowsPath,
  }: {
    mind: ModelEndpoint | null
    connections?: Readonly<Record<string, ModelEndpoint>>
    workflowsPath?: string
  },
  use: (at: Connection) => Promise<void>,
): Promise<void> {
  const dataDir = `.treeos/${name}`
  const postgres = await ensurePostgres({ dataDir, onProgress: console.error })
  const temporal = await ensureTemporal({ dataDir, searchAttributes: [], onProgress: console.error })
  const modelOf = (endpoint: ModelEndpoint) => createModel(endpoint, { timeoutSeconds: THINKING_SECONDS_MAX })
  // The worker keeps overlays in its memory. Whoever has the key can leave one there.
  const vaultKey = randomBytes(32)
  const beings = treeos({
    extensions: [extension],
    databaseUrl: postgres.workerUrl,
    model: mind === null ? null : modelOf(mind),
    connections: new Map(Object.entries(connections).map(([named, one]) => [named, modelOf(one)])),
    vault: { key: vaultKey },
  })
  const connection = await NativeConnection.connect(temporal.options)
  const { reality, taskQueue } = await beings.prepare({ connection, reality: name, ownerUrl: postgres.url })
  const worker = await Worker.create({
    ...{ connection, taskQueue, plugins: [beings] },
    ...(workflowsPath === undefined ? {} : { workflowsPath }),
  })
  const running = worker.run()

  // a worker's login acts for no person
  const db = openDatabase(postgres.peopleUrl, { role: 'treeos_people' })
  const client = await TemporalConnection.connect(temporal.options)
  const registry = buildRegistry([seed, extension])
  const at = {
    db,
    reality,
    registry,
    temporal: new Client({ connection: client }),
    vaults: new VaultClient(vaultKey),
  }
  try {
    await plantScene(at, extension)
    await use(at)
  } finally {
    worker.shutdown()
    await running
    await Promise.all([client.close(), connection.close(), db.destroy()])
    await temporal.stop()
    await postgres.stop()
  }
}
