/** What shows that Postgres was restored, and what that does to the lives of beings. */

import { recordRestores } from '@treeos/reality'
import {
  beginLife,
  findLastRestore,
  listUnrecordedRestores,
  noteRestore,
  openDatabase,
  tellRestore,
} from '@treeos/store'
import { sql } from 'kysely'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'

const base = useDatabase()

const livesOf = async (being: string): Promise<number[]> => {
  const rows = await base.owner
    .selectFrom('life')
    .select('generation')
    .where('being', '=', being)
    .orderBy('generation')
    .execute()
  return rows.map(({ generation }) => generation)
}

beforeAll(async () => {
  for (const being of ['ann', 'ben']) await beginLife(base.db, base.reality.id, being, `run-of-${being}`)
  await beginLife(base.db, base.reality.id, 'ben', 'second-run-of-ben')
})

/** As a record is that comes from another server, or from before a recovery. */
const asFrom = (change: string) =>
  sql
    .raw(`update treeos.restore set ${change} where n = (select max(n) from treeos.restore)`)
    .execute(base.owner)

describe('a restore', () => {
  afterEach(async () => expect(await noteRestore(base.db)).toBe(null)) // once known it is not noticed again

  it('is none at the first start of a worker, and at later ones on the same server', async () => {
    for (let start = 0; start < 3; start++) expect(await noteRestore(base.db)).toBe(null)
    expect(await findLastRestore(base.db)).toBe(null)
    expect(await livesOf('ann')).toEqual([1])
  })

  it.each([
    ['timeline = timeline - 1', /^timeline \d+ after \d+$/],
    [`server = 'another'`, /^another server$/],
  ])('is noticed once by several workers that start at once, where %s', async (change, why) => {
    const [ann, ben] = [await livesOf('ann'), await livesOf('ben')]
    await asFrom(change)
    const others = await Promise.all([1, 2, 3, 4].map(() => openDatabase(base.workerUrl, { poolMax: 1 })))
    const noticed = (await Promise.all(others.map(noteRestore))).filter((one) => one !== null)
    await Promise.all(others.map((db) => db.destroy()))
    expect(noticed).toEqual([expect.stringMatching(why)])
    expect(await livesOf('ann')).toEqual([...ann, ann.length + 1])
    expect(await livesOf('ben')).toEqual([...ben, ben.length + 1])
    expect(await findLastRestore(base.db)).toMatchObject({ why: noticed[0], lives: 2 })
  })

  it('is told by the owner alone, where Postgres shows none', async () => {
    for (const db of [base.db, base.people])
      await expect(tellRestore(db)).rejects.toMatchObject({ code: '42501' })
    const before = await livesOf('ann')
    expect(await tellRestore(base.owner)).toBe(2)
    expect(await livesOf('ann')).toHaveLength(before.length + 1)
    expect(await findLastRestore(base.people)).toMatchObject({ why: 'told', lives: 2 })
  })

  it('is a fact, once, however many workers start', async () => {
    const factsOf = async () =>
      (
        await sql<{ told: object }>`
          select treeos.told(bytes) as told from treeos.fact where kind = 'reality:restored' order by seq`.execute(
          base.owner,
        )
      ).rows.map(({ told }) => told)
    await tellRestore(base.owner)
    const due = await listUnrecordedRestores(base.db)
    expect(due.at(-1)).toMatchObject({ why: 'told', lives: 2 })
    await Promise.all([1, 2, 3].map(() => recordRestores(base)))
    expect(await factsOf()).toEqual(due)
    await recordRestores(base)
    expect(await factsOf()).toEqual(due)
  })

  it('ends the life that went on in Temporal: it claims nothing more, and a new one does', async () => {
    const older = (await livesOf('ann')).length
    const claim = (generation: number) =>
      sql`select * from treeos.claim('ann', ${`ann/${generation}/1`}, ${generation})`.execute(base.db)
    await claim(older)
    await tellRestore(base.owner)
    await expect(claim(older)).rejects.toMatchObject({ code: 'TR003' })
    await claim(await beginLife(base.db, base.reality.id, 'ann', 'a-run-after-it'))
  })
})
