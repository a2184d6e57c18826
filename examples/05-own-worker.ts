/**
 * 5. A Temporal worker of one's own that hosts beings beside its own workflows, until Ctrl-C.
 *   node examples/05-own-worker.ts
 * It uses the services that DATABASE_URL and TEMPORAL_ADDRESS name, and starts others in .treeos/examples.
 */
import { extname, join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { migrate, openDatabase } from '@treeos/chain'
import { plantScene } from '@treeos/client'
import { treeos } from '@treeos/host'
import { ensurePostgres, ensureTemporal } from '@treeos/local'
import { SEARCH_ATTRIBUTES, taskQueueOf } from '@treeos/protocol'
import { bootstrapReality } from '@treeos/reality'
import { buildRegistry, seed } from '@treeos/world'
import greenhouse from './04-extension.ts'

const dataDir = '.treeos/examples'
const searchAttributes = SEARCH_ATTRIBUTES.map(({ name }) => name)
const { url: databaseUrl } = await ensurePostgres({ dataDir, onProgress: console.error })
const { address } = await ensureTemporal({ dataDir, searchAttributes, onProgress: console.error })

// The database gets its schema and its reality once; later starts find them.
const registry = buildRegistry([seed, greenhouse])
const db = openDatabase(databaseUrl, { asOwner: true })
await migrate(db)
const { reality } = await bootstrapReality(db, registry, { name: 'examples', timeZone: 'UTC' })

// The worker: `treeos` adds its activities, and 05-workflows.ts has its workflows beside those of this program.
const taskQueue = taskQueueOf(reality.name)
const connection = await NativeConnection.connect({ address })
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowsPath: join(import.meta.dirname, `05-workflows${extname(import.meta.filename)}`),
  plugins: [treeos({ extensions: [greenhouse], databaseUrl })],
})
const running = worker.run()

const temporal = new Client({ connection: await Connection.connect({ address }) })
const counted = await temporal.workflow.execute('countToThree', {
  taskQueue,
  workflowId: `count-${process.pid}`,
})
console.log(`its own workflow counted ${counted}`)
await plantScene({ db, temporal, reality, registry }, greenhouse)
console.log(
  `beings live. For examples 6 and 7:\nexport DATABASE_URL=${databaseUrl} TEMPORAL_ADDRESS=${address}`,
)
await running // until Ctrl-C
