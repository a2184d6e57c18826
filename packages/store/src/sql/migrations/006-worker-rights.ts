import { type Kysely, sql } from 'kysely'
import { runSqlFile } from '../files.ts'

/** Takes the plain inserts of wakes and access tokens from workers: functions that check write them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['inbox/enqueue', 'inbox/withdraw', 'access/issue-token', 'access/revoke-token'])
    await runSqlFile(db, `functions/${name}`)
  await sql`
    do $$ begin
      if exists (select from pg_roles where rolname = 'treeos_app') then
        revoke insert on treeos.inbox from treeos_app;
        revoke insert, update on treeos.token from treeos_app;
      end if;
    end $$`.execute(db)
}
