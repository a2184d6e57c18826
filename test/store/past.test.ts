import { append, beginLife, digestOf, listLately, putBlob, readBlob } from '@treeos/store'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { useDatabase } from '../support/database.ts'
import { batchOf, changed } from './batch.ts'

const base = useDatabase()
beforeAll(async () => {
  await beginLife(base.db, base.reality.id, 'ada', 'run-1')
  const moment = { being: 'ada', generation: 1, n: 1 }
  const batch = await batchOf(base.db, base.reality, { moment, drafts: [changed('being:ada')] })
  expect((await append(base.owner, batch)).status).toBe('appended')
})

const FIXED = ['fact', 'moment_outcome', 'moment_open', 'moment_decision', 'blob', 'head', 'life']
const COLUMN: Record<string, string> = {
  moment_open: 'n',
  moment_decision: 'kind',
  blob: 'digest',
  life: 'chain',
}

describe.each(FIXED)('rows of %s', (table) => {
  const column = COLUMN[table] ?? 'hash'
  const statements = [
    `update treeos.${table} set ${column} = ${column}`,
    `delete from treeos.${table}`,
    `truncate treeos.${table} cascade`,
  ]

  it.each(statements)('cannot be changed by a worker: %s', async (statement) => {
    await expect(sql.raw(statement).execute(base.db)).rejects.toMatchObject({ code: '42501' })
  })

  // The owner moves heads, because append runs as the owner, and may drop contents.
  // test/scenarios/records/erasing has the deletes by row.
  const mayDelete = ['moment_decision', 'blob']
  const refused = statements.filter(
    (statement) =>
      !(table === 'head' && statement.startsWith('update')) &&
      !(mayDelete.includes(table) && statement.startsWith('delete')),
  )
  it.each(refused)('cannot be changed by the owner either: %s', async (statement) => {
    await expect(sql.raw(statement).execute(base.owner)).rejects.toMatchObject({ code: 'TR001' })
  })
})

it.each([
  `insert into treeos.fact select * from treeos.fact`,
  `insert into treeos.moment_outcome select * from treeos.moment_outcome`,
  `update treeos.projection set state = '{}'`,
  `update treeos.inbox set content = content`,
  `update treeos.reality set name = name`,
  `insert into treeos.life (being, generation, chain) values ('ada', 9, 'x')`,
])('a worker writes only through append: %s', async (statement) => {
  await expect(sql.raw(statement).execute(base.db)).rejects.toMatchObject({ code: '42501' })
})

it('a content is stored under its own digest only', async () => {
  const digest = await putBlob(base.db, { told: 'so' })
  const insert = (bytes: string) =>
    sql`insert into treeos.blob (digest, bytes) values (${digestOf({ told: 'otherwise' })}, ${Buffer.from(bytes)})`
  await expect(insert('{"told":"so"}').execute(base.db)).rejects.toMatchObject({ code: '23514' })
  await insert('{"told":"otherwise"}').execute(base.db)
  expect(await readBlob(base.db, digest)).toEqual({ told: 'so' })
})

it('a look at the last hours says when it left moments of offspring out', async () => {
  await sql`insert into treeos.projection (key, reel, state, folded_seq, parent, cognition)
    select 'being:kin' || i, 'being:kin' || i, '{}', 1, case when i > 0 then 'kin0' end, 'llm' from generate_series(0, 600) i`.execute(
    base.owner,
  )
  const live = (from: number, to: number, ago: number) =>
    sql`insert into treeos.moment_outcome (moment, being, n, kind, sealed_at, prev, hash, record)
      select 'kin1/1/' || n, 'kin1', n, 'see', (extract(epoch from clock_timestamp()) - ${ago}::integer) * 1000, '', '', '{}'
      from generate_series(${from}::integer, ${to}::integer) n`.execute(base.owner)
  const look = async () => {
    const { moments, isAll } = await listLately(base.db, { of: 'kin0', seconds: 3600 })
    return [moments.length, isAll]
  }
  await live(1, 30, 7200)
  await live(31, 49, 0)
  expect(await look()).toEqual([19, true]) // the rest is older
  await live(50, 60, 0)
  expect(await look()).toEqual([20, false])
})
