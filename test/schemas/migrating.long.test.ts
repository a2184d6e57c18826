/** A later schema, made for these tests, is applied to a database while its workers act. */
import { setTimeout as sleep } from 'node:timers/promises'
import { listOutcomes, MIGRATIONS, migrate, openDatabase } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { expect, it } from 'vitest'
import { migratedDatabase, type OwnDatabase } from '../support/database.ts'
import { live, play } from '../support/life.ts'
import { stage } from '../support/puppet.ts'
import { brokenIn, expectReplays } from '../support/replays.ts'
import { startWorld, type World } from '../support/world.ts'

/** Longest time that anybody may wait for a lock of a migration. */
const LOCK_SECONDS_MAX = 2

/** A second schema: a column, an index, and a function that is replaced by one. */
const LATER = {
  ...MIGRATIONS,
  '002-made-for-tests': {
    async up(db: Kysely<unknown>): Promise<void> {
      await sql`alter table treeos.moment_open add column mood text`.execute(db)
      await sql`create index moment_open_mood on treeos.moment_open (mood) where mood is not null`.execute(db)
      await sql`
        create or replace function treeos.has_ended(whose text) returns boolean
        language sql stable set search_path = treeos, pg_temp as $$
          select exists (select from projection where key = 'being:' || whose and cognition = 'ended')
        $$`.execute(db)
    },
  },
}

const answer = { verb: 'summon', content: 'so it is' }

it('a later schema is applied while workers act: nobody waits long, each act is written, and the beings live on', async () => {
  const { world, database } = await livingWorld()
  const owner = openDatabase(database.url, { asOwner: true, poolMax: 2 })
  const before = (await listOutcomes(world.db, 'player')).length
  const stopWatching = await watchLocks(database.url)
  const acting = actAgain(world, 8)
  await sleep(50)
  expect(await migrate(owner, LATER)).toEqual(['002-made-for-tests'])
  expect(await acting).toEqual(Array(8).fill('act'))
  expect(await stopWatching()).toBeLessThan(LOCK_SECONDS_MAX)
  expect(await migrate(owner, LATER)).toEqual([])

  expect((await listOutcomes(world.db, 'player')).length).toBe(before + 8)
  expect(await live(world, 'player', 'hello?')).toMatchObject({ outcome: 'see' })
  // To this version the function of the later one is another's, and its verify says so. All else holds.
  expect(await brokenIn(world)).toEqual([
    expect.objectContaining({ reel: 'schema', reason: 'function-mismatch', key: 'has_ended' }),
  ])
  await expectReplays(world, 'both')
  expect(world.errors).toEqual([])
  await expect(migrate(owner)).rejects.toThrow(
    /has the migration 002-made-for-tests, which this version of TreeOS does not know/,
  )
  await owner.destroy()
  await world.close()
})

it('control: a lock that a migration holds for longer is seen, and so is a function that workers miss', async () => {
  const { world, database } = await livingWorld()
  const stopWatching = await watchLocks(database.url)
  const client = new pg.Client(database.url)
  await client.connect()
  await client.query('begin; lock table treeos.moment_outcome')
  const acting = actAgain(world, 1)
  await client.query('select pg_sleep($1)', [LOCK_SECONDS_MAX + 0.2])
  await client.query('commit')
  expect(await stopWatching()).toBeGreaterThan(LOCK_SECONDS_MAX)
  expect(await acting).toEqual(['act'])
  await client.query('alter function treeos.append(jsonb) rename to append_of_another_shape')
  const failing = play(world, 'player', answer)
  await expect
    .poll(() => world.errors.map(({ error }) => String(error)).join(), { timeout: 20_000 })
    .toMatch(/append\(.*\) does not exist/)
  await client.query('alter function treeos.append_of_another_shape(jsonb) rename to append')
  expect(await failing).toMatchObject({ outcome: 'act' })
  await client.end()
  await world.close()
})

async function livingWorld(): Promise<{ world: World; database: OwnDatabase }> {
  const database = await migratedDatabase()
  const world = await startWorld({ extensions: [stage], database })
  await world.birth({ name: 'player', cognition: 'scripted', script: 'stage:puppet', role: 'stage:free' })
  await play(world, 'player', answer)
  return { world, database }
}

async function actAgain(world: World, times: number): Promise<string[]> {
  const outcomes: string[] = []
  for (let i = 0; i < times; i++) outcomes.push((await play(world, 'player', answer)).outcome)
  return outcomes
}

/** Notes the longest time that a statement has waited for a lock. */
async function watchLocks(url: string): Promise<() => Promise<number>> {
  const client = new pg.Client(url)
  await client.connect()
  let longest = 0
  let watching = true
  const done = (async () => {
    while (watching) {
      const { rows } = await client.query<{ seconds: number }>(`
        select coalesce(max(extract(epoch from clock_timestamp() - query_start)), 0)::float8 as seconds
        from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
      longest = Math.max(longest, rows[0]?.seconds ?? 0)
      await sleep(20)
    }
    await client.end()
  })()
  return async () => {
    watching = false
    await done
    return longest
  }
}
