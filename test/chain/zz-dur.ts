import { append, beginLife, createReality, migrate, openDatabase } from '@treeos/chain'
import { sql } from 'kysely'
import pg from 'pg'
import { batchOf, changed } from './batch.ts'

const base = 'postgres://postgres@127.0.0.1:55433/postgres'
const c = new pg.Client(base)
await c.connect()
const name = `bench_${Date.now()}`
await c.query(`create database ${name}`)
await c.end()
const url = base.replace(/postgres$/, name)
const owner = openDatabase(url, { asOwner: true, poolMax: 1 })
await migrate(owner)
const { reality } = await createReality(owner, { name: 'b', timeZone: 'UTC' })
await sql`set synchronous_commit = off`.execute(owner)
await beginLife(owner, reality.id, 'a', 'chain')
let ms = 0
for (let n = 1; n <= 1500; n++) {
  const batch = await batchOf(owner, reality, {
    moment: { being: 'a', generation: 1, n },
    drafts: [changed('being:a', 'x'.repeat(200))],
    reads: ['space:/', 'registry'],
  })
  if (n === 1400) await sql`set log_min_duration_statement = 0`.execute(owner)
  const t = performance.now()
  await append(owner, batch)
  if (n > 500) ms += performance.now() - t
}
console.log(Math.round(ms))
await owner.destroy()
