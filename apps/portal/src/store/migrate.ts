import { readFile } from 'node:fs/promises'
import type { StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'

/** @param name of a file beside this module, in `src` and in `dist` alike */
const runFile = async (db: Kysely<unknown>, name: string): Promise<void> =>
  void (await sql.raw(await readFile(new URL(`./${name}`, import.meta.url), 'utf8')).execute(db))

/**
 * In order. The first one makes the schema; from the first release on a change of it is a migration of its
 * own.
 */
const MIGRATIONS: Record<string, Migration> = { '001-schema': { up: (db) => runFile(db, 'tables.sql') } }

/**
 * Brings the schema of the portal to this version, and gives the portal's role its rights. The schema of the
 * record is there already.
 * @param owner the owner of the tables
 * @returns names of the migrations that ran now
 * @throws when the owner may not make the role, and nobody else made it
 */
export async function migratePortal(owner: Kysely<StoreDb>): Promise<string[]> {
  const db = owner.withoutPlugins() as unknown as Kysely<unknown>
  // A role belongs to the whole server: another process may make it at the same time.
  await sql`
    do $$ begin
      if not exists (select from pg_roles where rolname = 'treeos_portal') then
        create role treeos_portal nologin;
      end if;
    exception when duplicate_object or unique_violation then null;
    end $$`.execute(db)
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => MIGRATIONS },
    migrationTableSchema: 'portal_migrations',
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  await runFile(db, 'rights.sql')
  return (results ?? []).map(({ migrationName }) => `portal ${migrationName}`)
}
