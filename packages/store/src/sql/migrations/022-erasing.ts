import type { Kysely } from 'kysely'
import { runSqlFile } from '../files.ts'

const FUNCTIONS = ['erase-fact', 'erase-moment', 'erase', 'refuse-untold', 'append']

/**
 * What a fact, a decision or an effect says can be erased, by an append that brings a tombstone. Triggers let nobody delete any of it
 * otherwise.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of FUNCTIONS) await runSqlFile(db, `functions/ledger/${name}`)
  await runSqlFile(db, 'erasing')
}
