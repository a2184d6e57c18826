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
const q = new pg.Client(url)
await q.connect()
const src = (await q.query(`select pg_get_functiondef('treeos.append'::regproc) d`)).rows[0].d as string
// instrument: a notice before every top-level statement that begins after a blank line or known starts
let i = 0
const lines = src.split('\n')
const out: string[] = []
let inBody = false
for (const l of lines) {
  if (
    (inBody &&
      /^ {2}(insert|for|if|select|with|update|return)\b/.test(l) &&
      !out.at(-1)?.match(/^\s+(from|select|\))/)) ||
    /^ {2}if outcome/.test(l)
  ) {
    out.push(`  perform treeos.mark(${i}, ${"'" + l.trim().replaceAll("'", '').slice(0, 40) + "'"});`)
    i++
  }
  if (/^begin/.test(l)) inBody = true
  out.push(l)
}
await q.query(`create table treeos.marks(i int, what text, at timestamptz);
create function treeos.mark(i int, what text) returns void language plpgsql as $$ begin insert into treeos.marks values (i, what, clock_timestamp()); end $$`)
await q.query(out.join('\n'))
await q.query(`set synchronous_commit = off`)
await sql`set synchronous_commit = off`.execute(owner)
await beginLife(owner, reality.id, 'a', 'chain')
for (let n = 1; n <= 1000; n++) {
  const batch = await batchOf(owner, reality, {
    moment: { being: 'a', generation: 1, n },
    drafts: [changed('being:a', 'x'.repeat(200))],
    reads: ['space:/', 'registry'],
  })
  await append(owner, batch)
}
console.log(
  (
    await q.query(
      `with m as (select i, what, extract(epoch from lead(at) over (order by at) - at)*1e6 us from treeos.marks offset 3000) select i, what, round(percentile_cont(0.5) within group (order by us)::numeric,1) us, round(avg(us),1) avg from m group by 1,2 order by 1`,
    )
  ).rows
    .map((r) => `${r.i} ${r.us} ${r.avg} ${r.what}`)
    .join('\n'),
)
await q.end()
await owner.destroy()
