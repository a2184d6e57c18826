import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { listFunctions, runSqlFile } from './files.ts'
import type { StoreDb } from './schema.ts'

/** The schema: `tables.sql`, `functions/`, `triggers.sql` and `rights.sql`. */
async function createSchema(db: Kysely<unknown>): Promise<void> {
  await runSqlFile(db, 'tables.sql')
  await sql`set local check_function_bodies = off`.execute(db) // a body may name a function of a later file
  for (const name of await listFunctions()) await runSqlFile(db, name)
  await runSqlFile(db, 'triggers.sql')
  await runSqlFile(db, 'rights.sql')
}

/** By name, in order. */
export type Migrations = Readonly<Record<string, Migration>>

/**
 * All migrations. The first one makes the schema. Until the first release it is the only one, and its files
 * say what the schema is. From the first release on a released file is never edited. A change of the schema
 * is then a migration of its own.
 */
export const MIGRATIONS: Migrations = { '001-schema': { up: createSchema } }

const MIGRATIONS_SCHEMA = 'treeos_migrations'

/**
 * Brings the schema to this version. Several processes may call it at once.
 * @param db opened with `asOwner`
 * @param migrations those of this version; tests give others
 * @returns names of the migrations that ran now
 * @throws when the database has a migration that this version does not know, or is not encoded in UTF-8
 */
export async function migrate(db: Kysely<StoreDb>, migrations = MIGRATIONS): Promise<string[]> {
  await requireUtf8(db)
  await refuseUnknown(db, migrations)
  const migrator = new Migrator({
    db: db.withoutPlugins(), // the plugin that names our schema would override the migrator's own schema
    provider: { getMigrations: async () => migrations },
    migrationTableSchema: MIGRATIONS_SCHEMA,
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  return (results ?? []).map((result) => result.migrationName)
}

/**
 * @param db opened with `asOwner`
 * @returns names of the migrations of this version that the database has not had, in order
 */
export async function waitingMigrations(db: Kysely<StoreDb>, migrations = MIGRATIONS): Promise<string[]> {
  const done = await doneMigrations(db)
  return Object.keys(migrations)
    .filter((name) => !done.includes(name))
    .sort()
}

async function doneMigrations(db: Kysely<StoreDb>): Promise<string[]> {
  const table = `${MIGRATIONS_SCHEMA}.kysely_migration`
  const { rows: tables } = await sql<{ exists: boolean }>`
    select to_regclass(${table}) is not null as exists`.execute(db)
  if (tables[0]?.exists !== true) return []
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(table)} order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** In another encoding some texts cannot be stored, and those of SQL_ASCII sort, fold and count by bytes. */
async function requireUtf8(db: Kysely<StoreDb>): Promise<void> {
  const { rows } = await sql<{ encoding: string }>`
    select current_setting('server_encoding') as encoding`.execute(db)
  const encoding = rows[0]?.encoding
  if (encoding !== 'UTF8')
    throw new Error(
      `this database is encoded in ${encoding}, and TreeOS needs UTF-8. Make another one: create database NAME encoding 'UTF8' template template0`,
    )
}

async function refuseUnknown(db: Kysely<StoreDb>, migrations: Migrations): Promise<void> {
  const unknown = (await doneMigrations(db)).filter((name) => !Object.hasOwn(migrations, name))
  if (unknown.length > 0)
    throw new Error(
      `this database has the migration ${unknown[0]}, which this version of TreeOS does not know: a newer version made or migrated it; ` +
        'use that version, or make a new instance',
    )
}
