import type { Kysely } from 'kysely'
import { runSqlFile } from '../files.ts'

/** One statement claims a wake, reads the world for its moment and reserves what its model may cost. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['rows/read-set', 'moments/claim-and-read']) await runSqlFile(db, `functions/${name}`)
  await runSqlFile(db, 'rights') // names functions of all migrations of this version
}
