import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { FaultProxy, tcpTarget } from './proxy.ts'

let proxy: FaultProxy
let direct: Kysely<unknown>
const through = (options = {}) => {
  const url = new URL(inject('postgresUrl'))
  url.host = proxy.address
  return openDatabase(url.href, { asOwner: true, poolMax: 1, ...options }) as unknown as Kysely<unknown>
}
beforeAll(async () => {
  proxy = await FaultProxy.start(tcpTarget(inject('postgresUrl')), 'postgres')
  direct = openDatabase(inject('postgresUrl'), { asOwner: true }) as unknown as Kysely<unknown>
  await sql`create table if not exists public.proxied (what text)`.execute(direct)
})
afterAll(async () => {
  await sql`drop table public.proxied`.execute(direct)
  await direct.destroy()
  await proxy.close()
})

const insert = (db: Kysely<unknown>, what: string) =>
  sql`insert into public.proxied values (${what})`.execute(db)
const count = async (what: string) =>
  (await sql`select from public.proxied where what = ${what}`.execute(direct)).rows.length
const isInsert = (statement: string) => statement.startsWith('insert into public.proxied')

it('passes everything by default', async () => {
  const db = through()
  await insert(db, 'plain')
  expect(await count('plain')).toBe(1)
  await db.destroy()
})

it.each([
  { how: 'alone', write: insert },
  {
    how: 'in a transaction',
    write: (db: Kysely<unknown>, what: string) => db.transaction().execute((tx) => insert(tx, what)),
  },
])(
  'a statement $how whose acknowledgement is cut has happened, and its sender hears of an error',
  async ({ how, write }) => {
    const db = through()
    const before = proxy.counts.unheardCommits
    proxy.unhear({ wanted: isInsert })
    await expect(write(db, how)).rejects.toThrow()
    proxy.flow()
    expect(proxy.counts.unheardCommits - before).toBe(1)
    expect(await count(how)).toBe(1)
    await write(db, how) // the pool has another connection
    await db.destroy()
  },
)

it('passes the error of a statement that failed', async () => {
  const db = through()
  proxy.unhear({ wanted: () => true })
  await expect(sql`select 1/0`.execute(db)).rejects.toThrow('division by zero')
  proxy.flow()
  await db.destroy()
})

it('a delayed acknowledgement comes late', async () => {
  const db = through()
  proxy.unhear({ wanted: isInsert, delayMs: 150 })
  const at = Date.now()
  await insert(db, 'late')
  expect(Date.now() - at).toBeGreaterThanOrEqual(145)
  proxy.flow()
  await db.destroy()
})

it('a stall holds everything until it is over', async () => {
  const db = through()
  await insert(db, 'stalled')
  proxy.stall()
  setTimeout(() => proxy.flow(), 150)
  const at = Date.now()
  await insert(db, 'stalled')
  expect(Date.now() - at).toBeGreaterThanOrEqual(145)
  await db.destroy()
})

it('connections that are cut or refused fail, and work again afterwards', async () => {
  const db = through()
  await insert(db, 'cut')
  proxy.refuse(true)
  expect(proxy.cut()).toBeGreaterThan(0)
  await expect(insert(db, 'cut')).rejects.toThrow()
  proxy.flow()
  await insert(db, 'cut')
  expect(await count('cut')).toBe(2)
  await db.destroy()
})

it('a half-open connection is given up when its answer is overdue, so that the next query has another', async () => {
  const db = through({ asOwner: false, statementSecondsMax: 0.1 })
  await sql`select 1`.execute(db)
  proxy.halfOpen()
  await expect(sql`select 1`.execute(db)).rejects.toThrow('Query read timeout')
  expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  await db.destroy()
})

it('passes a chosen statement on late, and tells its answer', async () => {
  const db = through()
  const answers: string[] = []
  const { promise: until, resolve } = Promise.withResolvers<void>()
  proxy.unhear({ wanted: isInsert, lateness: { until, onAnswer: (answer) => answers.push(answer) } })
  const before = proxy.counts.lateStatements
  const inserting = insert(db, 'held back')
  while (proxy.counts.lateStatements === before) await sleep(5)
  proxy.unhear(null)
  expect(await count('held back')).toBe(0)
  resolve()
  await inserting
  expect(await count('held back')).toBe(1)
  expect(answers).toEqual([expect.stringContaining('INSERT 0 1')])
  await db.destroy()
})
