import { type Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import * as baseline from './migrations/001-baseline.ts'
import * as looks from './migrations/002-looks.ts'
import * as endedBeings from './migrations/003-ended-beings.ts'
import * as calm from './migrations/004-calm.ts'
import * as faults from './migrations/005-faults.ts'
import * as workerRights from './migrations/006-worker-rights.ts'
import * as journal from './migrations/007-journal.ts'
import * as coalesced from './migrations/008-coalesced.ts'
import * as shortWay from './migrations/009-short-way.ts'
import * as cheaperWrites from './migrations/010-cheaper-writes.ts'
import * as locks from './migrations/011-locks.ts'
import * as lineage from './migrations/012-lineage.ts'
import * as overlays from './migrations/013-overlays.ts'
import * as goneSchedules from './migrations/014-gone-schedules.ts'
import * as oneClaim from './migrations/015-one-claim.ts'
import * as places from './migrations/016-places.ts'
import * as trueContents from './migrations/017-true-contents.ts'
import * as evidence from './migrations/018-evidence.ts'
import * as log from './migrations/019-log.ts'
import * as watchedCalls from './migrations/021-watched-calls.ts'
import * as erasing from './migrations/022-erasing.ts'
import * as firstReservation from './migrations/023-first-reservation.ts'
import * as listening from './migrations/024-listening.ts'
import * as listened from './migrations/025-listened.ts'
import type { ChainDb } from './schema.ts'

/**
 * All migrations, in order, listed by hand. A released migration is never edited, moved or removed.
 *
 * To change a table, add a migration with the `alter table` and its grants. `tables.sql` and `triggers.sql` stay as they
 * were released. Never name a new table or column in `rights.sql`: in a new database the baseline applies that file before
 * the migration makes the table. Skip the grants where the role `treeos_app` does not exist.
 *
 * `functions/` and `rights.sql` always hold the newest release. To change a function, edit its file and add a migration that
 * applies it again: `up = (db) => runSqlFile(db, 'functions/ledger/append')`. In a new database the baseline already applies
 * the newest file, and the migration changes nothing.
 * - With other arguments or another result, a function is a different one to Postgres. Change `rights.sql` too. The migration
 *   runs `drop function if exists` for the old one, then applies the file and `rights`.
 * - A new function also goes into `FUNCTIONS`, and into `rights.sql` if workers call it. The migration applies both files.
 * - `rights.sql` names the functions of every migration, so only the last one of a release applies it.
 * - The body may use tables and columns of a later migration, because the baseline does not check bodies. The signature
 *   must not: return jsonb, or `table (…)`.
 */
const MIGRATIONS = {
  '001-baseline': baseline,
  '002-looks': looks,
  '003-ended-beings': endedBeings,
  '004-calm': calm,
  '005-faults': faults,
  '006-worker-rights': workerRights,
  '007-journal': journal,
  '008-coalesced': coalesced,
  '009-short-way': shortWay,
  '010-cheaper-writes': cheaperWrites,
  '011-locks': locks,
  '012-lineage': lineage,
  '013-overlays': overlays,
  '014-gone-schedules': goneSchedules,
  '015-one-claim': oneClaim,
  '016-places': places,
  '017-true-contents': trueContents,
  '018-evidence': evidence,
  '019-log': log,
  '021-watched-calls': watchedCalls,
  '022-erasing': erasing,
  '023-first-reservation': firstReservation,
  '024-listening': listening,
  '025-listened': listened,
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
