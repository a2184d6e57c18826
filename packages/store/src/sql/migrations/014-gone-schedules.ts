import type { Kysely } from 'kysely'
import { runSqlFile } from '../files.ts'

/** Closes wakes of removed schedules without a moment. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['has-schedule', 'claim']) await runSqlFile(db, `functions/inbox/${name}`)
}
