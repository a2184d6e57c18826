import type { Kysely } from 'kysely'
import { runSqlFile } from '../files.ts'

/** A claim says whether somebody watches what the model writes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await runSqlFile(db, 'functions/moments/claim-and-read')
}
