import { type Kysely, sql } from 'kysely'
import { runSqlFile } from '../files.ts'

/** A wake by change counts the changes that it stands for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table treeos.delayed add column times integer not null default 1`.execute(db)
  for (const name of ['inbox/wake-watchers', 'inbox/release-delayed'])
    await runSqlFile(db, `functions/${name}`)
}
