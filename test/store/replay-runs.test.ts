/**
 * What replays of all moments found is kept by the login of commands: a worker that was taken over must not
 * say that its own records are right.
 */
import { findLastReplay, type ReplayRun, readReplayGround, recordReplay } from '@treeos/store'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'

const base = useDatabase()
const FOUND = { record: 'chain', moments: 7, accepted: 0, elsewhere: 3 } as const
const run = async (more: Partial<ReplayRun> = {}): Promise<ReplayRun> => ({
  ...(await readReplayGround(base.people)),
  ...{ ...FOUND, differences: 1, differing: ['@ann 3'] },
  ...more,
})

it('the last replay is told with the login that kept it, its age and its ground', async () => {
  expect(await findLastReplay(base.db)).toBeNull()
  const first = await run()
  expect(first.newest).toBeNull()
  await sql`insert into treeos.journal (moment, reels, seqs) values ('ann/1/3', '{}', '{}'), (null, '{}', '{}')`.execute(
    base.owner,
  )
  await recordReplay(base.people, first)
  const last = await run({ differences: 0, differing: [], accepted: 2 })
  expect(last.newest).toBe('ann/1/3')
  await recordReplay(base.people, last)
  const { rows } = await sql<{ login: string }>`select session_user as login`.execute(base.people)
  const { ageSeconds, ...found } = (await findLastReplay(base.db))!
  expect(found).toEqual({ ...last, login: rows[0]?.login })
  expect(ageSeconds).toBeGreaterThanOrEqual(0)
  expect(ageSeconds).toBeLessThan(60)
})

it('a worker keeps none', async () => {
  await expect(recordReplay(base.db, await run())).rejects.toMatchObject({ code: '42501' })
  await expect(
    sql`insert into treeos.replay_run (record, begun_at, moments, differences, accepted, elsewhere, differing)
      values ('both', now(), 1, 0, 0, 0, '{}')`.execute(base.db),
  ).rejects.toMatchObject({ code: '42501' })
})

it('nobody changes one, or takes one away, the owner included', async () => {
  for (const statement of [
    sql`update treeos.replay_run set differences = 0`,
    sql`delete from treeos.replay_run`,
  ])
    await expect(statement.execute(base.owner)).rejects.toMatchObject({ code: 'TR001' })
})
