import type { ChainDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import * as accounts from './migrations/001-accounts.ts'
import * as waysIn from './migrations/002-ways-in.ts'
import { grantRights } from './rights.ts'

/** In order, listed by hand. A released migration is never edited, moved or removed. */
const MIGRATIONS = { '001-accounts': accounts, '002-ways-in': waysIn }

/**
 * Brings the schema of the portal to this version, and gives the portal's role its rights. The schema of the record is there
 * already.
 * @param owner the owner of the tables
 * @returns names of the migrations that ran now
 * @throws when the owner may not make the role, and nobody else made it
 */
export async function migratePortal(owner: Kysely<ChainDb>): Promise<string[]> {
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
  await grantRights(db)
  return (results ?? []).map(({ migrationName }) => `portal ${migrationName}`)
}
