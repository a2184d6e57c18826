/**
 * 6. A client program: it summons a being and looks at the moment that answered. Example 5 or `treeos up` has to run.
 *   DATABASE_URL=… TEMPORAL_ADDRESS=… node examples/06-client.ts
 */
import { Client, Connection } from '@temporalio/client'
import { openDatabase, readReality } from '@treeos/chain'
import { moments, summon } from '@treeos/client'
import { buildRegistry, seed } from '@treeos/world'
import greenhouse from './04-extension.ts'

const db = openDatabase(process.env.DATABASE_URL ?? '')
const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS ?? 'localhost:7233' })
const reality = await readReality(db)
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
