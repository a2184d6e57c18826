import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { momentId, type Wake } from '@treeos/core'
import { ensurePostgres, removeInstance } from '@treeos/local'
import {
  append,
  beginLife,
  createReality,
  findEntry,
  findOutcome,
  migrate,
  openDatabase,
  type Reality,
} from '@treeos/store'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { claimId, putWake } from '../support/wakes.ts'
import { batchOf, wakeFor } from './batch.ts'

const MOMENT = momentId('ann', 1, 1)

let dataDir: string
let reality: Reality
let running: Awaited<ReturnType<typeof start>>

/** A Postgres of this test's own, or the one that was killed, started again. */
async function start() {
  const { DATABASE_URL: _url, ...env } = process.env
  const { url, pid } = await ensurePostgres({ dataDir, env, onProgress: () => undefined })
  const owner = openDatabase(url, { asOwner: true, poolMax: 2 })
  const db = openDatabase(url, { poolMax: 2 })
  const close = () => Promise.all([owner.destroy(), db.destroy()])
  return { owner, db, pid: pid as number, close }
}

async function killAndRestart(): Promise<void> {
  process.kill(running.pid, 'SIGKILL')
  await running.close()
  await sleep(500) // its children end, too
  running = await start()
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), `treeos-test-${process.pid}-`))
  await chmod(dataDir, 0o711) // Postgres may run as another user
  running = await start()
  const { owner } = running
  await migrate(owner)
  reality = (await createReality(owner, { name: 'test', timeZone: 'UTC' })).reality
  const row = {
    key: 'being:ann',
    reel: 'being:ann',
    state: {},
    foldedSeq: 1,
    place: '/',
    parent: null,
    cognition: 'scripted',
    watches: null,
    account: null,
  }
  await append(owner, await batchOf(owner, reality, { rows: [row] }))
  await beginLife(owner, reality.id, 'ann', 'run-1')
  // Otherwise Postgres writes what commits did not wait for after 0.2 s.
  await sql`alter system set wal_writer_delay = '10s'`.execute(owner)
  await sql`select pg_reload_conf()`.execute(owner)
})
afterAll(async () => {
  await running?.close()
  await removeInstance(dataDir)
})

const claim = (moment = MOMENT) => claimId(running.db, reality.id, moment)
const claimantOf = async (id: string) =>
  (
    await running.owner
      .selectFrom('inbox')
      .select('claimed_by')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).claimed_by
const put = (wake: Wake) => putWake(running.owner, wake)

it('a claim that Postgres loses in a crash is claimed again, and what an append wrote is not lost', async () => {
  await put(wakeFor('ann', 'wake-1'))
  expect(await claim()).toBe('wake-1')
  await killAndRestart()
  expect(await claimantOf('wake-1')).toBeNull()
  expect(await claim()).toBe('wake-1')
  const batch = await batchOf(running.db, reality, {
    moment: { being: 'ann', generation: 1, n: 1 },
    outcome: { wake: 'wake-1' },
  })
  expect(await append(running.db, batch)).toMatchObject({ status: 'appended' })
  await killAndRestart()
  expect(await findOutcome(running.db, MOMENT)).toMatchObject({ wake: 'wake-1' })
  expect(await claimantOf('wake-1')).toBe(MOMENT)
  expect((await findEntry(running.db, 'wake-1'))?.closedBy).toBe(MOMENT)
})

it('the claim of an act is not lost in a crash: its person is told whether it can still be withdrawn', async () => {
  await put({ ...wakeFor('ann', 'act-1'), kind: 'act', caller: null })
  const second = momentId('ann', 1, 2)
  expect(await claim(second)).toBe('act-1')
  await killAndRestart()
  expect(await claimantOf('act-1')).toBe(second)
})

it('a moment whose claim was lost after it was opened keeps its wake', async () => {
  const third = momentId('ann', 1, 2)
  await sql`update treeos.inbox set closed_by = ${third}, claimed_by = null where id = 'act-1'`.execute(
    running.owner,
  )
  await put(wakeFor('ann', 'wake-3', { priority: 4 }))
  expect(await claim(third)).toBe('wake-3')
  const opened = { moment: third, being: 'ann', n: 2, wake: 'wake-3', opened_at: 1, face: null }
  await running.owner
    .insertInto('moment_open')
    .values({ ...opened, record: Buffer.from('{}'), basis: Buffer.from('[]') })
    .execute()
  await sql`update treeos.inbox set claimed_by = null where id = 'wake-3'`.execute(running.owner)
  await put(wakeFor('ann', 'more-urgent', { priority: 1 }))
  expect(await claim(third)).toBe('wake-3')
  expect(await claimantOf('wake-3')).toBe(third)
})
