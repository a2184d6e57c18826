import { type Db, openDatabase } from '@treeos/store'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'

const base = useDatabase()

const pidOf = async (db: Db): Promise<number> =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]!.pid
/** Waits until the pool has noticed that a connection ended. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 50))
const kill = (pid: number) => sql`select pg_terminate_backend(${pid})`.execute(base.owner)

it('a connection that dies while it is in use ends neither the process nor the pool', async () => {
  const errors: string[] = []
  const db = openDatabase(base.url, { poolMax: 1, onConnectionError: ({ message }) => errors.push(message) })
  const dying = db.transaction().execute(async (tx) => {
    await kill(await pidOf(tx))
    await settled() // no query waits for an answer when the error arrives
    await sql`select 1`.execute(tx)
  })
  await expect(dying).rejects.toThrow()
  expect(errors.length).toBeGreaterThan(0)
  expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  await db.destroy()
})

it('a connection that dies in the middle of a query fails that query only', async () => {
  const db = openDatabase(base.url, { poolMax: 1 })
  const pid = await pidOf(db)
  const sleeping = sql`select pg_sleep(30)`.execute(db)
  setTimeout(() => void kill(pid), 50)
  await expect(sleeping).rejects.toMatchObject({ code: '57P01' })
  await settled()
  expect(await pidOf(db)).not.toBe(pid)
  await db.destroy()
})

it('a connection that dies while idle is replaced', async () => {
  const db = openDatabase(base.url, { poolMax: 1 })
  const pid = await pidOf(db)
  await kill(pid)
  await settled()
  expect(await pidOf(db)).not.toBe(pid)
  await db.destroy()
})

it.each([
  { whose: 'a worker', asOwner: false, user: 'treeos_app' },
  { whose: 'the owner', asOwner: true, user: null },
])('a connection of $whose runs as $user (null: the user who logged in)', async ({ asOwner, user }) => {
  const db = openDatabase(base.url, { asOwner })
  const { rows } = await sql<{ now: string; login: string }>`
    select current_user::text as now, session_user::text as login`.execute(db)
  expect(rows[0]?.now).toBe(user ?? rows[0]?.login)
  await db.destroy()
})

it('goes on after a migration that changes what a statement returns', async () => {
  const db = openDatabase(base.url, { poolMax: 1 })
  const read = () => sql`select * from reality where name = ${'test'}`.execute(db)
  expect(Object.keys((await read()).rows[0] as object)).not.toContain('later')
  await sql`alter table treeos.reality add column later integer`.execute(base.owner)
  // Postgres refuses the cached plan of this connection, so the connection closes
  await read().catch(() => undefined)
  await settled()
  expect(Object.keys((await read()).rows[0] as object)).toContain('later')
  await db.destroy()
})
