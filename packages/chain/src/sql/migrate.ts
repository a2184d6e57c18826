import type { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import * as ground from './migrations/001-ground.ts'
import * as lives from './migrations/002-lives.ts'
import * as append from './migrations/003-append.ts'
import * as appRole from './migrations/004-app-role.ts'
import * as watches from './migrations/005-watches.ts'
import * as budgets from './migrations/006-budgets.ts'
import * as wakes from './migrations/007-wakes.ts'
import * as leases from './migrations/008-leases.ts'
import * as effects from './migrations/009-effects.ts'
import * as tokens from './migrations/010-tokens.ts'
import * as oneAppend from './migrations/011-one-append.ts'
import type { ChainDb } from './schema.ts'

/** In order, by hand: a migration once shipped is never edited or moved. */
const MIGRATIONS = {
  '001-ground': ground,
  '002-lives': lives,
  '003-append': append,
  '004-app-role': appRole,
  '005-watches': watches,
  '006-budgets': budgets,
  '007-wakes': wakes,
  '008-leases': leases,
  '009-effects': effects,
  '010-tokens': tokens,
  '011-one-append': oneAppend,
}

/**
 * Brings the schema to this version; safe to run from several processes at once.
 * @param db opened with `asOwner`
 * @returns names of the migrations that ran now
 */
export async function migrate(db: Kysely<ChainDb>): Promise<string[]> {
  const migrator = new Migrator({
    db: db.withoutPlugins(), // our schema's plugin would win over the migrator's own
    provider: { getMigrations: async () => MIGRATIONS },
    migrationTableSchema: 'treeos_migrations',
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  return (results ?? []).map((result) => result.migrationName)
}
