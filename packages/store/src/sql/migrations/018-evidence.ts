import { type Kysely, sql } from 'kysely'
import { runSqlFile } from '../files.ts'

/**
 * The end of a moment says from which heads its call was judged, as far as its basis does not. Its record names request and result of
 * its effect by salted digests.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table treeos.moment_outcome add column judged bytea`.execute(db)
  // 244 random bits for each row, from two UUIDs: Postgres has no function for random bytes without an extension.
  await sql`
    alter table treeos.moment_effect add column salt bytea not null
      default decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')`.execute(db)
  await runSqlFile(db, 'functions/moments/close-moment')
}
