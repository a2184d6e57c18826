/**
 * 6. A client program: it summons a being and looks at the moment that answered. Example 5 or `treeos up` has
 *   to run. TREEOS_PEOPLE_DATABASE_URL=… TEMPORAL_CONFIG_FILE=… node examples/06-client.ts
 */
import { Client, Connection } from '@temporalio/client'
import { loadClientConnectConfig } from '@temporalio/envconfig'
import { moments, summon } from '@treeos/client'
import { buildRegistry, findReality, openDatabase, seed } from '@treeos/client/open'
import greenhouse from './04-extension.ts'

const db = openDatabase(process.env.TREEOS_PEOPLE_DATABASE_URL ?? '', { role: 'treeos_people' })
// TEMPORAL_ADDRESS, or the file that TEMPORAL_CONFIG_FILE names
const { connectionOptions } = loadClientConnectConfig()
const connection = await Connection.connect(connectionOptions)
const reality = await findReality(db)
if (reality === null) throw new Error('this database has no reality: start example 5 first')
const at = { db, reality, temporal: new Client({ connection }), registry: buildRegistry([seed, greenhouse]) }

const { reply } = await summon(at, {
  as: 'operator',
  target: 'flora',
  content: 'How are the figs?',
  waitSeconds: 30,
})
console.log(`@${reply?.from}: ${reply?.content}`)
for (const { wake, primary, outcome } of await moments(db, 'flora'))
  console.log(JSON.stringify({ wake, primary, outcome }))

await connection.close()
await db.destroy()
