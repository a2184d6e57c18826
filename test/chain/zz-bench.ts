import { append, beginLife, createReality, migrate, openDatabase } from '@treeos/chain'
import { sql } from 'kysely'
import pg from 'pg'
import { batchOf, batchOver, changed, wakeFor } from './batch.ts'

const base = 'postgres://postgres@127.0.0.1:55433/postgres'
const c = new pg.Client(base)
await c.connect()
const name = `bench_${Date.now()}`
await c.query(`create database ${name}`)
await c.end()
const url = base.replace(/postgres$/, name)
const owner = openDatabase(url, { asOwner: true })
console.log(await migrate(owner))
const { reality } = await createReality(owner, { name: 'b', timeZone: 'UTC' })
const db = openDatabase(url)
console.log((await sql`select current_user`.execute(db)).rows)
const N = Number(process.argv[2] ?? 2000)
await beginLife(db, reality.id, 'a', 'chain')
let ms = 0
let best = Infinity
for (let n = 1; n <= N; n++) {
  const batch = await batchOf(db, reality, {
    moment: { being: 'a', generation: 1, n },
    drafts: [changed('being:a', 'x'.repeat(200))],
    reads: ['space:/', 'registry'],
    inbox: process.argv[3] ? [wakeFor('b', `w${n}`)] : [],
  })
  const t = performance.now()
  const r = await append(db, batch)
  const d = performance.now() - t
  if (r.status !== 'appended') throw new Error(JSON.stringify(r))
  if (n > 200) ms += d
  best = Math.min(best, d)
}
console.log('append us/call', Math.round((ms / (N - 200)) * 1000), 'best', Math.round(best * 1000))
await sql`set synchronous_commit = off`.execute(db)
const p = openDatabase(url, { poolMax: 1 })
await sql`set synchronous_commit = off`.execute(p)
ms = 0
best = Infinity
for (let n = N + 1; n <= 2 * N; n++) {
  const batch = await batchOf(p, reality, {
    moment: { being: 'a', generation: 1, n },
    drafts: [changed('being:a', 'x'.repeat(200))],
    reads: ['space:/', 'registry'],
  })
  const t = performance.now()
  const r = await append(p, batch)
  const d = performance.now() - t
  if (r.status !== 'appended') throw new Error(JSON.stringify(r))
  ms += d
  best = Math.min(best, d)
}
console.log('append without fsync us/call', Math.round((ms / N) * 1000), 'best', Math.round(best * 1000))
const t = performance.now()
for (let i = 0; i < 2000; i++) await sql`select 1`.execute(p)
console.log('select 1 us', Math.round(((performance.now() - t) / 2000) * 1000))
await Promise.all([owner.destroy(), db.destroy(), p.destroy()])
