import { type Kysely, sql } from 'kysely'
import { FUNCTIONS, runSqlFile } from '../files.ts'

/** The schema of the first release. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await runSqlFile(db, 'tables')
  // A function's body may name a function that comes later in the list, or a column that a later migration adds.
  await sql`set local check_function_bodies = off`.execute(db)
  for (const name of FUNCTIONS) await runSqlFile(db, `functions/${name}`)
  await runSqlFile(db, 'triggers')
  await runSqlFile(db, 'rights')
}
