import { bootstrapReality } from '@treeos/reality'
import { listChildren, migrate, openDatabase } from '@treeos/store'
import { buildRegistry, seed } from '@treeos/world'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { emptyDatabase } from '../support/database.ts'

const column = `
  select data_type, is_nullable, column_default from information_schema.columns
  where table_schema = 'treeos' and table_name = 'children' and column_name = 'role'`

type Owner = ReturnType<typeof openDatabase>

const MIGRATION = '../../packages/store/src/sql/migrations/012-lineage.ts'

/** A migrated database without what the migration of children made, and with beings in it. */
async function before(owner: Owner): Promise<void> {
  await bootstrapReality(owner, buildRegistry([seed]), { name: 'old', timeZone: 'UTC' })
  for (const trigger of ['projection_child_born', 'projection_child_changed', 'projection_child_gone'])
    await sql`drop trigger ${sql.ref(trigger)} on treeos.projection`.execute(owner)
  await sql`drop table treeos.children`.execute(owner)
}

const make = (owner: Owner, columns: string) =>
  sql
    .raw(`create table treeos.children (child text primary key, parent text not null${columns})`)
    .execute(owner)

it.each<[string, (owner: Owner) => Promise<unknown>, string]>([
  ['a fresh one', async () => undefined, 'generalist'],
  ['one without the table', before, 'generalist'],
  [
    'one without the column',
    async (owner) => {
      await before(owner)
      await make(owner, '')
      await sql`insert into treeos.children values ('echo', 'operator')`.execute(owner)
    },
    'generalist',
  ],
  [
    'one that has the column',
    async (owner) => {
      await before(owner)
      await make(owner, `, role text not null default 'generalist'`)
      await sql`insert into treeos.children values ('echo', 'operator', 'writer')`.execute(owner)
    },
    'writer',
  ],
])('the migration gives a database its column of roles: %s', async (_what, prepare, role) => {
  const { url, drop } = await emptyDatabase()
  const owner = openDatabase(url, { asOwner: true })
  try {
    await migrate(owner)
    await prepare(owner)
    const { up } = (await import(MIGRATION)) as { up: (db: unknown) => Promise<void> }
    for (const _ of ['first', 'again']) await up(owner.withoutPlugins())
    expect(await migrate(owner)).toEqual([])
    expect((await sql.raw(column).execute(owner)).rows).toEqual([
      { data_type: 'text', is_nullable: 'NO', column_default: "'generalist'::text" },
    ])
    await bootstrapReality(owner, buildRegistry([seed]), { name: 'old', timeZone: 'UTC' })
    const children = await listChildren(owner, { parent: 'operator' })
    expect(children.map(({ child }) => child)).toEqual(['birther', 'echo', 'librarian', 'role-manager'])
    expect(children.find(({ child }) => child === 'echo')).toMatchObject({ role, state: null, asleep: false })
    expect(children.filter(({ child }) => child !== 'echo').map((child) => child.role)).toEqual(
      Array(3).fill('generalist'),
    )
  } finally {
    await owner.destroy()
    await drop()
  }
})
