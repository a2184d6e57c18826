import type { Kysely } from 'kysely'
import { runSqlFile } from '../files.ts'

/** Beings that were ended close all their wakes, and no lease of theirs holds. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['inbox/has-ended', 'inbox/claim', 'access/lease-holds'])
    await runSqlFile(db, `functions/${name}`)
}
