import { type Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import * as baseline from './migrations/001-baseline.ts'
import type { ChainDb } from './schema.ts'

/**
 * All migrations, in order, listed by hand. A migration that was released is never edited, moved or taken out.
 *
 * To change a table, add a migration with the `alter table`; `tables.sql` stays as it was released.
 * To change a function, edit its file in `functions/` and add a migration that applies the file again:
 * `export const up = (db) => runSqlFile(db, 'functions/ledger/append')`. A new database then applies the newest content
 * twice, which is harmless: each file says `create or replace`.
 * - A function with other arguments or another result is another function to Postgres. Its migration first runs
 *   `drop function if exists` with the old arguments, applies the file and grants what `rights.sql` granted.
 * - A new function also goes into `FUNCTIONS`. Its migration revokes execute from public and grants it to `treeos_app`
 *   if workers call it (only where that role exists).
 * - A function may use columns of a later migration: the baseline does not check function bodies.
 */
const MIGRATIONS = {
  '001-baseline': baseline,
}

const MIGRATIONS_SCHEMA = 'treeos_migrations'
/** The first migration of every version before the first release; the baseline took its place. */
const FIRST_OF_DEVELOPMENT = '001-ground'

/**
 * Brings the schema to this version. Several processes may call it at once.
 * @param db opened with `asOwner`
 * @returns names of the migrations that ran now
 * @throws when a development version from before the first release made this database
 */
export async function migrate(db: Kysely<ChainDb>): Promise<string[]> {
  await refuseDevelopmentDatabase(db)
  const migrator = new Migrator({
    db: db.withoutPlugins(), // the plugin that names our schema would override the migrator's own schema
    provider: { getMigrations: async () => MIGRATIONS },
    migrationTableSchema: MIGRATIONS_SCHEMA,
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  return (results ?? []).map((result) => result.migrationName)
}

async function refuseDevelopmentDatabase(db: Kysely<ChainDb>): Promise<void> {
  const table = `${MIGRATIONS_SCHEMA}.kysely_migration`
  const { rows: tables } = await sql<{ exists: boolean }>`
    select to_regclass(${table}) is not null as exists`.execute(db)
  if (tables[0]?.exists !== true) return
  const { rows } = await sql`
    select from ${sql.table(table)} where name = ${FIRST_OF_DEVELOPMENT}`.execute(db)
  if (rows.length > 0)
    throw new Error(
      `this database was made by a development version of TreeOS (its first migration is ${FIRST_OF_DEVELOPMENT}); make a new instance`,
    )
}
