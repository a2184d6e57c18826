import { type Kysely, sql } from 'kysely'
import { runSqlFile } from '../files.ts'

/**
 * Looks take the first of a crowd in the order of the collation C. The index of places gets that order, so they read no more than
 * these.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index treeos.projection_place`.execute(db)
  await sql`create index projection_place on treeos.projection (place, key collate "C") where place is not null`.execute(
    db,
  )
  await runSqlFile(db, 'functions/rows/read-set')
}
