import { type Kysely, sql } from 'kysely'
import { runSqlFile } from '../files.ts'

/** The head of a being's records says until when its run looks for wakes by itself, so that nobody need ring it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table treeos.head add column listens_until timestamptz`.execute(db)
  await runSqlFile(db, 'functions/ledger/append')
  await runSqlFile(db, 'functions/moments/close-moment')
}
