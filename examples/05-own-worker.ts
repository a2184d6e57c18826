/**
 * 5. A Temporal worker of one's own that hosts beings beside its own workflows, until Ctrl-C.
 *   node examples/05-own-worker.ts
 * It uses the services that DATABASE_URL and TEMPORAL_* name, and starts others in .treeos/examples.
 */
import { extname, join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { NativeConnection, Worker } from '@temporalio/worker'
import { plantScene } from '@treeos/client'
import { buildRegistry, openDatabase, seed } from '@treeos/client/open'
import { treeos } from '@treeos/host'
import { ensurePostgres, ensureTemporal } from '@treeos/host/services'
import greenhouse from './04-extension.ts'

const dataDir = '.treeos/examples'
const postgres = await ensurePostgres({ dataDir, onProgress: console.error })
const { url: ownerUrl, workerUrl: databaseUrl, peopleUrl } = postgres
const server = await ensureTemporal({ dataDir, searchAttributes: [], onProgress: console.error })
const { options, env } = server

// An empty database gets its schema and its reality from its owner, and Temporal its search attributes. Later
// starts find them. Workers log in to Postgres as a role that owns nothing.
const beings = treeos({ extensions: [greenhouse], databaseUrl })
const connection = await NativeConnection.connect(options)
const { reality, taskQueue } = await beings.prepare({ connection, reality: 'examples', ownerUrl })

// The worker: `treeos` adds its activities, and 05-workflows.ts has its workflows beside those of this
// program.
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowsPath: join(import.meta.dirname, `05-workflows${extname(import.meta.filename)}`),
  plugins: [beings],
})
const running = worker.run()

const temporal = new Client({ connection: await Connection.connect(options) })
const counted = await temporal.workflow.execute('countToThree', {
  taskQueue,
  workflowId: `count-${process.pid}`,
})
console.log(`its own workflow counted ${counted}`)
const db = openDatabase(peopleUrl, { role: 'treeos_people' }) // a worker's login acts for no person
await plantScene({ db, temporal, reality, registry: buildRegistry([seed, greenhouse]) }, greenhouse)
const places = Object.entries(env).map(([name, value]) => `${name}=${value}`)
console.log(
  `beings live. For examples 6 and 7:\nexport DATABASE_URL=${databaseUrl} TREEOS_PEOPLE_DATABASE_URL=${peopleUrl} ${places.join(' ')}`,
)
await running // until Ctrl-C

// What this program started ends with it. What ran before goes on.
await Promise.all([temporal.connection.close(), connection.close(), db.destroy()])
if (!server.reused) await server.stop()
if (!postgres.reused) await postgres.stop()
