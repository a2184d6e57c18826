/** Databases of older versions, with living beings, are migrated while their workers act. */
import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { beings } from '@treeos/client'
import { beingWorkflowId } from '@treeos/protocol'
import { listOutcomes, migrate, openDatabase } from '@treeos/store'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { emptyDatabase, type OwnDatabase } from '../support/database.ts'
import { live, play } from '../support/life.ts'
import { stage } from '../support/puppet.ts'
import { expectReplays, expectUnbroken } from '../support/replaying.ts'
import { startWorld } from '../support/world.ts'
import { recordDatabase } from './record.ts'
import {
  RECORDED,
  type RecordedDatabase,
  readRecorded,
  restore,
  type Statement,
  withClient,
} from './recording.ts'

/**
 * Set to the name of the last migration, it records a database of this version. Done with each release that brings migrations, before
 * the next migration is written; never again for an older one.
 */
const RECORD = process.env.TREEOS_RECORD_SCHEMA
if (RECORD !== undefined) it('records a database', () => recordDatabase(RECORD), 180_000)

/** By the name of their last migration. */
const names = (await readdir(RECORDED))
  .filter((file) => file.endsWith('.json.gz'))
  .map((file) => file.slice(0, -8))
/** Longest time that anybody may wait for a lock of a migration. */
const LOCK_SECONDS_MAX = 2
const DEADLOCK = '40P01'
/** Rows of effects that are added, for how long a migration holds its locks in a big database. */
const ROWS = Number(process.env.TREEOS_MIGRATE_ROWS ?? 0)

const answer = { verb: 'summon', content: 'so it is' }

/** Notes the longest time that a statement has waited for a lock. */
async function watchLocks(url: string): Promise<() => Promise<number>> {
  let longest = 0
  let watching = true
  const done = withClient(url, async (client) => {
    while (watching) {
      const { rows } = await client.query<{ seconds: number }>(`
        select coalesce(max(extract(epoch from clock_timestamp() - query_start)), 0)::float8 as seconds
        from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
      longest = Math.max(longest, rows[0]?.seconds ?? 0)
      await sleep(20)
    }
  })
  return async () => {
    watching = false
    await done
    return longest
  }
}

/**
 * Says again what workers of that version said, each statement over its own connection, in the order of then.
 * @returns what the appends answered
 */
async function sayAgain(url: string, statements: readonly Statement[], pauseMs: number): Promise<string[]> {
  const clients = new Map<number, pg.Client>()
  const answers: string[] = []
  try {
    for (const { client: number, text, values } of statements) {
      let client = clients.get(number)
      if (client === undefined) {
        client = new pg.Client(url)
        clients.set(number, client)
        await client.connect()
        await client.query(`set search_path = treeos; set role treeos_app`)
      }
      const { rows } = await saidOrAgain(client, text, values)
      if (text.includes('treeos.append(')) answers.push(rows[0]?.answer?.status)
      await sleep(pauseMs)
    }
  } finally {
    for (const client of clients.values()) await client.end()
  }
  return answers
}

/** A worker's activity is retried when Postgres ends its statement because a migration and it wait for each other. */
function saidOrAgain(client: pg.Client, text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
  return client.query(text, [...values]).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== DEADLOCK) throw error
    return saidOrAgain(client, text, values)
  })
}

async function manyEffects(url: string): Promise<void> {
  if (ROWS === 0) return
  await withClient(url, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query(
      `insert into treeos.moment_effect (moment, request, result)
         select 'player/0/' || i, '{}', '{}' from generate_series(1, ${ROWS}) i`,
    )
  })
}

async function restored(recorded: RecordedDatabase): Promise<OwnDatabase> {
  const database = await emptyDatabase()
  await restore(database.url, recorded)
  await manyEffects(database.url)
  return database
}

describe.each(names)('a database of %s', async (name) => {
  const recorded = await readRecorded(name)
  const appends = recorded.afterwards.filter(({ text }) => text.includes('treeos.append(')).length

  it('is migrated while its workers act: nobody waits long, each act is written, and the beings live on', async () => {
    const database = await restored(recorded)
    const owner = openDatabase(database.url, { asOwner: true, poolMax: 2 })
    const stopWatching = await watchLocks(database.url)
    const saying = sayAgain(database.workerUrl, recorded.afterwards, 5)
    await sleep(100)
    const ran = await migrate(owner)
    const answers = await saying
    expect(await stopWatching()).toBeLessThan(LOCK_SECONDS_MAX)
    expect(ran.every((migration) => migration > name)).toBe(true)
    await owner.destroy()

    expect(answers).toEqual(Array(appends).fill('appended'))
    const world = await startWorld({ extensions: [stage], database })
    for (const [being, moments] of Object.entries(recorded.moments))
      expect([being, (await listOutcomes(world.db, being)).length]).toEqual([being, moments])
    expect(await play(world, 'player', answer)).toMatchObject({ outcome: 'act' })
    expect(await live(world, 'mute', 'hello?')).toMatchObject({ outcome: 'see' })
    await expectUnbroken(world)
    await expectReplays(world, 'chain')
    expect(world.errors).toEqual([])
    for (const { being } of await beings(world.db))
      await world.temporal.workflow
        .getHandle(beingWorkflowId(world.reality.name, being))
        .terminate('its database goes')
        .catch(() => undefined) // it never woke
    await world.close()
  })

  it('control: a lock that a migration holds for longer is seen, and so is a function that older workers miss', async () => {
    const database = await restored(recorded)
    const stopWatching = await watchLocks(database.url)
    const holding = withClient(database.url, async (client) => {
      await client.query('begin; lock table treeos.moment_outcome')
      await client.query('select pg_sleep($1)', [LOCK_SECONDS_MAX + 0.2])
      await client.query('alter function treeos.append(jsonb) rename to append_of_another_shape; commit')
    })
    const saying = sayAgain(database.workerUrl, recorded.afterwards, 5)
    await expect(saying).rejects.toThrow('function treeos.append(jsonb) does not exist')
    await holding
    expect(await stopWatching()).toBeGreaterThan(LOCK_SECONDS_MAX)
    await database.drop()
  })
})
