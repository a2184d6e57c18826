import { append, beginLife, digestOf, putBlob, readBlob } from '@treeos/store'
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

const FIXED = ['fact', 'payload', 'moment_outcome', 'moment_open', 'moment_decision', 'blob', 'head', 'life']
const COLUMN: Record<string, string> = {
  moment_open: 'n',
  moment_decision: 'kind',
  blob: 'digest',
  payload: 'salt',
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

  // The owner moves heads, because append runs as the owner, and may drop contents. test/scenarios/records/erasing has the deletes by row.
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
